import type { CacheCauseKind } from '../../shared/cache-causes.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatCost, plural } from './format.ts'
import { comparedWith, usualOf } from './usual.ts'

/** A cause below this share of the cost, or below a cent, is not worth a sentence. */
const LEAST_SHARE = 0.1
const LEAST_USD = 0.01

/** What happened, after "it: " and before how often. Null: nothing that a person did or could change. */
const HAPPENED: Readonly<Record<CacheCauseKind, string | null>> = {
  first_request: null,
  ttl_expired: 'the cache expired during a pause',
  model_changed: 'the model was changed',
  speed_changed: 'fast mode was changed',
  betas_changed: 'the client changed its beta header',
  marks_changed: 'cache breakpoints moved',
  parameters_changed: 'thinking or effort was changed',
  tools_changed: 'the tools changed',
  system_changed: 'the system prompt changed',
  messages_changed: 'earlier messages changed',
  resumed: 'sessions were resumed or forked',
  lookback_exceeded: 'too much was added at once for the cache',
  below_minimum: null,
  compaction: 'the context was compacted',
  provider: 'the API did not read the cache, though nothing had changed',
  unknown: null,
}

/**
 * Says what something cost and how that compares with the usual, if it is known. Null if it cost nothing.
 * `base`: what the others are, such as "for a session in ferry".
 */
export function costSentence(subject: string, spent: number, others: readonly number[], base: string): string | null {
  if (spent <= 0) return null
  const [cost, usual] = [`${subject} cost ${formatCost(spent)}`, usualOf(others)]
  return usual === null ? `${cost}.` : `${cost}, ${comparedWith(usual, spent)} ${formatCost(usual)} ${base}.`
}

/** Says what a part of the cost was, and when. Null if it was nothing. */
export const rangeSentence = (what: string, spent: number, when: string): string | null =>
  spent <= 0 ? null : `${what} ${formatCost(spent)} ${when}.`

export interface LargestCause {
  readonly cause: CacheCauseKind
  readonly usd: number
  /** What happened, as the sentence has it. */
  readonly happened: string
  readonly text: string
}

/** A session that most of a cause's cost belongs to. */
export interface CauseSession {
  readonly title: string
  /** Every request with the cause is of this session. */
  readonly isOnly: boolean
}

/** Names the largest avoidable part of a cost, and its session if it is known; null if there is none worth a sentence. */
export function largestCause(
  spent: number,
  by_cause: readonly Pick<OperationOutput<'cache.summary'>['by_cause'][number], 'cause' | 'waste_usd' | 'requests'>[],
  session: CauseSession | null = null,
): LargestCause | null {
  const named = by_cause.filter(({ cause }) => HAPPENED[cause] !== null)
  const [top] = named.toSorted((one, other) => other.waste_usd - one.waste_usd)
  if (top === undefined || top.waste_usd < Math.max(LEAST_USD, spent * LEAST_SHARE)) return null
  const happened = HAPPENED[top.cause] ?? ''
  const often = top.requests === 1 ? 'once' : top.requests === 2 ? 'twice' : plural(top.requests, 'time')
  const where = session === null ? '' : session.isOnly ? ` in “${session.title}”` : `, most of it in “${session.title}”`
  return {
    cause: top.cause,
    usd: top.waste_usd,
    happened,
    text: `${formatCost(top.waste_usd)} of it: ${happened}, ${often}${where}.`,
  }
}

/** What carried input is called in a sentence; others are not a person's to change. */
const CARRIED: Readonly<Record<string, string>> = {
  prompt: 'a prompt',
  file_read: 'a file read',
  image: 'an image',
  document: 'a document',
  summary: 'a compaction summary',
  skill: 'a skill',
}

type Carried = Pick<
  OperationOutput<'carry.session'>['items'][number],
  'kind' | 'tool' | 'name' | 'usd' | 'requests' | 'turn_id' | 'entered'
>

export interface CarriedCause {
  readonly usd: number
  /** The noun, and the turn, as the sentence has them. */
  readonly noun: string
  readonly turn: string
  readonly block: Carried
  readonly text: string
}

/** Names the block whose carrying cost most, of those that a person can change; null if none is worth a sentence. */
export function largestBlock(spent: number, blocks: readonly Carried[]): CarriedCause | null {
  const worth = ({ usd }: Carried) => usd >= Math.max(LEAST_USD, spent * LEAST_SHARE)
  const block = blocks.filter((one) => worth(one) && nounOf(one) !== null).toSorted((a, b) => b.usd - a.usd)[0]
  if (block === undefined) return null
  const [noun, turn] = [nounOf(block) ?? '', `turn ${block.turn_id}`]
  const often = block.requests === 1 ? 'sent in one request' : `sent in ${plural(block.requests, 'request')}`
  return { usd: block.usd, noun, turn, block, text: `${formatCost(block.usd)} of it: ${noun} of ${turn}, ${often}.` }
}

/** Says `a file read (report.ts)`, `an output of Bash`; null for what the client itself sends. */
function nounOf({ kind, tool, name }: Carried): string | null {
  if (kind === 'tool_result') return tool === null ? 'a tool output' : `an output of ${tool}`
  const noun = CARRIED[kind]
  const file = name?.split(/[\\/]/).at(-1)
  return noun === undefined ? null : file === undefined ? noun : `${noun} (${file})`
}

/** Names the tool whose calls and outputs cost most while they were carried; null if none is worth a sentence. */
export function largestTool(
  spent: number,
  groups: readonly Pick<OperationOutput<'carry.list'>['items'][number], 'key' | 'usd'>[],
): { readonly usd: number; readonly noun: string; readonly text: string } | null {
  const top = groups.filter(({ key }) => key !== null).toSorted((one, other) => other.usd - one.usd)[0]
  if (top === undefined || top.usd < Math.max(LEAST_USD, spent * LEAST_SHARE)) return null
  const noun = `calls and outputs of ${top.key}`
  return { usd: top.usd, noun, text: `${formatCost(top.usd)} of it: ${noun}, carried from request to request.` }
}

type Waste = Pick<OperationOutput<'cache.list'>['items'][number], 'session_id' | 'waste_usd'>

/** Returns the session that more than half of the cost of misses belongs to, if there is one. */
export function wastefulSession(misses: readonly Waste[]): { readonly id: string; readonly isOnly: boolean } | null {
  const sumOf = (some: readonly Waste[]) => some.reduce((sum, { waste_usd: usd }) => sum + (usd ?? 0), 0)
  const sessions = [...Map.groupBy(misses, ({ session_id: id }) => id)]
  const found = sessions.find(([, own]) => sumOf(own) > sumOf(misses) / 2)
  return found === undefined ? null : { id: found[0], isOnly: sessions.length === 1 }
}
