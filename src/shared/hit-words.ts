import type { Hit } from './contract/recall.ts'
import type { OperationOutput } from './contract/index.ts'

/** Kinds of hits as every place names them, and as `kind:` takes them. */
export const HIT_NAMES: Readonly<Record<Hit['match_type'], string>> = {
  user_prompt: 'prompt',
  thinking: 'thinking',
  assistant_response: 'answer',
  compaction: 'compaction',
  tool: 'tool',
  episode: 'episode',
  memory: 'memory',
}

const MATCHED_BY = { phrase: 'phrase', all: 'all words', any: 'any word', raw: 'FTS5 query' } as const

type Found = Pick<OperationOutput<'recall.search'>, 'items' | 'total' | 'total_about' | 'matched_by' | 'partial'>

/** Says how many texts a search found and how they match: `Best 10 of 57 hits · all words, then any word`. */
export function describeHits(
  { items, total, total_about: isAbout, matched_by: matchedBy, partial }: Found,
  counted: (count: number, noun: string) => string,
): string {
  if (total === 0) return 'No matches'
  const all = `${isAbout === true ? 'about ' : ''}${counted(total, 'hit')}`
  const own = items.filter(({ beside }) => beside !== true).length
  const count = own < total ? `Best ${own} of ${all}` : all
  const besides = own === items.length ? [] : [`${items.length - own} next to one`]
  const ways = matchedBy.map((way) => MATCHED_BY[way]).join(', then ')
  const cut = partial === true ? ['the search stopped early; there may be more'] : []
  return [count, ...besides, ...(ways === '' ? [] : [ways]), ...cut].join(' · ')
}
