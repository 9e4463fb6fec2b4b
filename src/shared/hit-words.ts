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

const MATCHED_BY = {
  phrase: 'phrase',
  all: 'all words',
  any: 'any word',
  related: 'related words',
  raw: 'FTS5 query',
} as const

/** Says of a hit without a word of the query why it is listed; '' for all others. */
export const describeMatch = ({ related, beside }: Pick<Hit, 'related' | 'beside'>): string =>
  related === true ? 'only related words' : beside === true ? 'next to a match' : ''

/** Says which further texts say the same as a hit: `also prompt of turn 4, answer of turn 7 in 6513270e, 3 more`. */
export function describeCopies({ copies = 0, copies_in: named = [], session_id: own }: Hit): string {
  if (copies === 0) return ''
  const places = named.map((copy) => placeOfCopy(copy, own))
  const more = copies > places.length ? [`${copies - places.length} more`] : []
  return `also ${[...places, ...more].join(', ')}`
}

/** Names a text that says the same as a hit of the session `own`. */
export const placeOfCopy = (
  { match_type: type, session_id: session, turn_id: turn }: NonNullable<Hit['copies_in']>[number],
  own: string,
): string => `${HIT_NAMES[type]} of turn ${turn}${session === own ? '' : ` in ${session.slice(0, 8)}`}`

type Found = Pick<OperationOutput<'recall.search'>, 'items' | 'total' | 'total_about' | 'matched_by' | 'partial'>

/** Says how many texts a search found and how they match: `Best 10 of 57 hits · matched by all words, then any word`. */
export function describeHits(
  { items, total, total_about: isMore, matched_by: matchedBy, partial }: Found,
  counted: (count: number, noun: string) => string,
): string {
  if (total === 0) return 'No matches'
  const all = `${isMore === true ? 'more than ' : ''}${counted(total, 'hit')}`
  const own = items.filter(({ beside }) => beside !== true)
  const copies = own.reduce((sum, { copies: more = 0 }) => sum + more, 0)
  const related = own.filter((hit) => hit.related === true).length
  const count = own.length + copies < total ? `Best ${own.length} of ${all}` : all
  const besides = [
    ...(copies === 0 ? [] : [`${copies} ${copies === 1 ? 'says' : 'say'} the same as another`]),
    ...(related === 0 ? [] : [`${related} with only related words`]),
    ...(own.length === items.length ? [] : [`${items.length - own.length} next to a hit`]),
  ]
  const ways = matchedBy.map((way) => MATCHED_BY[way]).join(', then ')
  const cut = partial === true ? ['the search stopped early; there may be more'] : []
  return [count, ...besides, ...(ways === '' ? [] : [`matched by ${ways}`]), ...cut].join(' · ')
}
