import { HIT_NAMES } from '../../shared/hit-words.ts'
import type { RecallQuery } from './query.ts'
import { TIMES } from './query-times.ts'

/** Filters that select stored values. */
export const FILTER_NAMES = ['project', 'session', 'tool', 'model', 'agent', 'client'] as const
export type FilterName = (typeof FILTER_NAMES)[number]

/** Stored values that a filter selects; any of them matches; null: not filtered. */
export type Filters = { readonly [Name in FilterName]: readonly string[] | null }

export const NO_FILTERS: Filters = { project: null, session: null, tool: null, model: null, agent: null, client: null }

const DOC_KINDS = ['thinking', 'user_prompt', 'assistant_response', 'compaction'] as const
type DocKind = (typeof DOC_KINDS)[number]

/** Kinds of hits, by the names that hits have. */
export type KindFilter = DocKind | 'tool' | 'episode' | 'memory'

/** Checks whether a kind is one of recorded texts: tool traffic, episodes and memories have indexes of their own. */
export const isDocKind = (kind: KindFilter): kind is DocKind => DOC_KINDS.some((one) => one === kind)

const KINDS: { readonly [word: string]: KindFilter } = {
  prompt: 'user_prompt',
  prompts: 'user_prompt',
  user: 'user_prompt',
  user_prompt: 'user_prompt',
  thinking: 'thinking',
  thought: 'thinking',
  answer: 'assistant_response',
  answers: 'assistant_response',
  response: 'assistant_response',
  assistant: 'assistant_response',
  assistant_response: 'assistant_response',
  assistant_text: 'assistant_response',
  compaction: 'compaction',
  summary: 'compaction',
  tool: 'tool',
  tools: 'tool',
  tool_call: 'tool',
  tool_result: 'tool',
  episode: 'episode',
  episodes: 'episode',
  memory: 'memory',
  memories: 'memory',
}

/** The kinds to offer, one name each. */
export const KIND_NAMES: readonly string[] = Object.values(HIT_NAMES)

/** Returns the kinds that `kind:a,b` names; empty if one of them is unknown. */
export function kindsNamed(value: string): readonly KindFilter[] {
  const kinds = value
    .toLowerCase()
    .split(',')
    .map((word) => KINDS[word])
  return kinds.every((kind) => kind !== undefined) ? kinds : []
}

/** Checks whether a filter selects by kind. */
export const isKindName = (name: string): boolean => name === 'kind' || name === 'type' || name === 'is'

/** Checks whether a name, in lower case, is that of a filter. */
export const isFilterName = (name: string): boolean =>
  isKindName(name) || TIMES[name] !== undefined || FILTER_NAMES.some((one) => one === name)

type Narrowed = Pick<RecallQuery, FilterName | 'kinds' | 'not' | 'before' | 'after'>

/** Checks whether a query has filters: without filters and words it finds nothing. */
export const isNarrowed = ({ kinds, not, before, after, ...query }: Narrowed): boolean =>
  kinds.length > 0 ||
  Object.keys(not).length > 0 ||
  before !== null ||
  after !== null ||
  FILTER_NAMES.some((name) => query[name] !== null)
