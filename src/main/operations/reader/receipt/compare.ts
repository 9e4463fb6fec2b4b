import { countOf } from '../../../decode/usage.ts'
import { receiptSessions, transcriptUsage, type PaidCall } from '../../../store/read/receipt.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { readAccount, type AccountRow } from './foreign-account.ts'
import { differentPrices } from './price-difference.ts'
import type { Receipt } from './receipt.ts'
import { addCall, emptySum, pricedUsage, tokensOf } from './sums.ts'
import { spentBy, UNPRICED } from '../../../../shared/spend.ts'

type Comparison = NonNullable<Receipt['comparison']>[number]
type Reason = Comparison['reasons'][number]

/** Tolerance for sums of doubles in a different order, in USD. */
const ROUNDING_USD = 1e-9

interface Group {
  readonly period: string
  readonly model: string
  readonly calls: PaidCall[]
  readonly theirs: AccountRow[]
}

/**
 * Compares the calls with the account of a program that reads transcripts, by period and model, largest difference
 * first. The reasons of a row add up to its difference; the rest is reported as unexplained.
 */
export function compareAccounts(
  reader: Reader,
  calls: readonly PaidCall[],
  json: { readonly [name: string]: unknown },
  dayOf: (iso: string) => string,
): Comparison[] {
  const account = readAccount(json)
  const groups = new Map<string, Group>()
  const groupOf = (period: string, name: string): Group => {
    const model = account.modelOf(name)
    const key = `${period}\n${model}`
    const group = groups.get(key) ?? { period, model, calls: [], theirs: [] }
    groups.set(key, group)
    return group
  }
  const ids = [...new Set(calls.map(({ session_id }) => session_id))]
  const projects = new Map(receiptSessions(reader, ids).map(({ id, project }) => [id, project]))
  for (const call of calls) {
    const place = { day: dayOf(call.timestamp), project: projects.get(call.session_id) ?? null }
    groupOf(account.periodOf(call, place), call.model).calls.push(call)
  }
  for (const row of account.rows) groupOf(row.period, row.model).theirs.push(row)
  const read = new Set(calls.filter(isInTranscript).map(transcriptOf))
  return [...groups.values()]
    .map((group) => compareGroup(reader, group, read))
    .sort((a, b) => Math.abs(b.difference_usd) - Math.abs(a.difference_usd) || (a.period < b.period ? -1 : 1))
}

const isInTranscript = ({ seen }: PaidCall): boolean => (seen & 2) !== 0
/** Each agent has its own transcript. */
const transcriptOf = ({ session_id: session, agent_id: agent }: PaidCall): string => JSON.stringify([session, agent])

/** `read`: the transcripts that were imported, at least in part. */
function compareGroup(reader: Reader, { period, model, calls, theirs: rows }: Group, read: ReadonlySet<string>) {
  const ours = emptySum()
  for (const call of calls) addCall(ours, call)
  const theirs = sumOf(rows)
  const { calls: _calls, [UNPRICED]: _unpriced, ...shown } = ours
  const difference = { tokens: tokensOf(theirs) - tokensOf(ours), usd: theirs.cost_usd - ours.cost_usd }
  const captured = calls.filter((call) => !isInTranscript(call))
  const onlyWire = captured.filter((call) => read.has(transcriptOf(call)))
  const unread = captured.filter((call) => !read.has(transcriptOf(call)))
  const inTranscripts = calls.filter(isInTranscript).map((call) => asInTranscript(reader, call))
  const lower = inTranscripts.filter(({ call, same }) => !same && call.cost_usd !== null)
  const reasons: Reason[] = []
  if (onlyWire.length > 0)
    reasons.push({
      kind: 'only_wire',
      calls: onlyWire.length,
      tokens: -onlyWire.reduce((sum, call) => sum + tokensOf(call), 0),
      usd: -spentBy(onlyWire).cost_usd,
      text: `${count(onlyWire, 'request')} without a transcript line, such as titles, summaries and answers that were cut off.`,
    })
  if (lower.length > 0)
    reasons.push({
      kind: 'lower_in_transcript',
      calls: lower.length,
      tokens: lower.reduce((sum, { seen, call }) => sum + tokensOf(seen) - tokensOf(call), 0),
      usd: lower.reduce((sum, { seen, call }) => sum + (seen.cost_usd ?? 0) - (call.cost_usd ?? 0), 0),
      text: `${count(lower, 'request')} whose transcript lines give other token counts than the API's final usage.`,
    })
  const missing = unreadOf(unread, restAfter(difference, reasons))
  if (missing !== null) reasons.push(missing)
  const rest = restAfter(difference, reasons)
  if (rest.tokens !== 0 || Math.abs(rest.usd) > ROUNDING_USD)
    reasons.push(restOf(reader, rest, [...inTranscripts.map(({ seen }) => seen), ...unread], theirs))
  return {
    period,
    model,
    ours: shown,
    theirs,
    difference_usd: Math.abs(difference.usd) > ROUNDING_USD ? difference.usd : 0,
    difference_tokens: difference.tokens,
    reasons,
  }
}

interface Amount {
  readonly tokens: number
  readonly usd: number
}

const restAfter = (difference: Amount, reasons: readonly Reason[]): Amount => ({
  tokens: reasons.reduce((sum, { tokens }) => sum - tokens, difference.tokens),
  usd: reasons.reduce((sum, { usd }) => sum - usd, difference.usd),
})

/** Calls whose transcripts were not imported may have a line or not, with the same counts or lower ones. */
function unreadOf(unread: readonly PaidCall[], rest: Amount): Reason | null {
  const all = unread.reduce((sum, call) => sum + tokensOf(call), 0)
  if (all === 0 || rest.tokens >= 0) return null
  const isAll = -rest.tokens >= all
  const { cost_usd: usd } = spentBy(unread)
  return {
    kind: 'only_wire',
    calls: unread.length,
    tokens: isAll ? -all : rest.tokens,
    usd: isAll ? -usd : rest.usd,
    text: `${isAll ? 'All' : 'Part'} of ${count(unread, 'request')} whose transcripts are not imported. Import them to see which have no line, or lower counts.`,
  }
}

/** Explains the difference that remains without the calls that transcripts lack or count differently. */
function restOf(
  reader: Reader,
  rest: { readonly tokens: number; readonly usd: number },
  expected: readonly PaidCall[],
  theirs: Omit<AccountRow, 'period' | 'model'>,
): Reason {
  if (rest.tokens > 0)
    return {
      kind: 'not_recorded',
      calls: null,
      ...rest,
      text: 'Transcripts hold calls that Aspy has not recorded or imported for this period: import them, or check the time zone.',
    }
  if (rest.tokens < 0)
    return {
      kind: 'unexplained',
      calls: null,
      ...rest,
      text: 'The other report lacks calls whose transcripts Aspy has read: their files may have been deleted, or the period may be incomplete.',
    }
  const unpriced = expected.filter(({ cost_usd: cost }) => cost === null)
  if (unpriced.length > 0)
    return {
      kind: 'unpriced',
      calls: unpriced.length,
      ...rest,
      text: `${count(unpriced, 'request')} of a model without a price here: set one in [pricing].`,
    }
  return {
    kind: 'priced_differently',
    calls: expected.length,
    ...rest,
    text: differentPrices(reader.pricing, expected, theirs.cost_usd),
  }
}

/** Returns a call as its transcript counts it, priced by the same table. */
function asInTranscript(reader: Reader, call: PaidCall): { call: PaidCall; seen: PaidCall; same: boolean } {
  // A call known only from transcripts has their counts.
  const usage = call.seen === 2 ? null : transcriptUsage(reader, call.id)
  if (usage === null) return { call, seen: call, same: true }
  const figure = (name: string, known: number) => countOf(usage[name]) ?? known
  const seen: PaidCall = {
    ...call,
    input_tokens: figure('input_tokens', call.input_tokens),
    output_tokens: figure('output_tokens', call.output_tokens),
    cache_read_tokens: figure('cache_read_input_tokens', call.cache_read_tokens),
    cache_write_tokens: figure('cache_creation_input_tokens', call.cache_write_tokens),
    cache_write_1h_tokens: figure('cache_creation_1h_input_tokens', call.cache_write_1h_tokens),
  }
  if (TOKENS.every((name) => seen[name] === call[name])) return { call, seen: call, same: true }
  const cost_usd = reader.pricing.price(call.model, pricedUsage(seen), call.timestamp)
  return { call, seen: { ...seen, cost_usd }, same: false }
}

const TOKENS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const

function sumOf(rows: readonly AccountRow[]): Omit<AccountRow, 'period' | 'model'> {
  const sum = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, cost_usd: 0 }
  for (const row of rows) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += row[name]
  return sum
}

const count = (calls: readonly unknown[], noun: string): string =>
  `${calls.length} ${noun}${calls.length === 1 ? '' : 's'}`
