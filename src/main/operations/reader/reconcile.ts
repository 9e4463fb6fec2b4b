import type { OperationOutput } from '../../../shared/contract/index.ts'
import { clientAccount, copiedCalls, seenCalls, type SeenCall } from '../../store/read/reconcile.ts'
import { requireSession } from '../../store/read/sessions.ts'
import { modelNames } from '../../decode/wire/model-names.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { spentBy } from '../../../shared/spend.ts'

/** Bounds the calls of a session that are examined. */
const MAX_CALLS = 20_000
const CALLS_SHOWN = 20
/** Tolerance for sums of doubles in a different order. */
const ROUNDING_USD = 1e-9

interface ClientAccount {
  readonly cost_usd: number
  readonly at: string
  readonly unknown_models: boolean
  readonly models: ReadonlyMap<string, number>
}

export const sessionReconcile: ReaderHandler<'sessions.reconcile'> = (reader, { session_id }) => {
  requireSession(reader, session_id)
  const read = seenCalls(reader, session_id, MAX_CALLS + 1)
  const calls = read.slice(0, MAX_CALLS)
  const client = accountOf(clientAccount(reader, session_id))
  const onlyWire = calls.some(({ by_transcript }) => by_transcript) ? calls.filter((call) => !call.by_transcript) : []
  const onlyTranscript = calls.some(({ by_wire }) => by_wire) ? calls.filter((call) => !call.by_wire) : []
  const later = client === null ? [] : calls.filter(({ timestamp }) => timestamp > client.at)
  const copied = copiedCalls(reader, session_id) ?? { calls: 0, cost_usd: 0 }
  const difference =
    client === null ? null : spentBy(calls).cost_usd - spentBy(later).cost_usd + copied.cost_usd - client.cost_usd
  return {
    session_id,
    ours: {
      ...spentBy(calls),
      tokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
      calls: calls.length,
      lower_bound_calls: calls.filter(({ basis }) => basis === 'lower_bound').length,
    },
    client:
      client === null ? null : { cost_usd: client.cost_usd, at: client.at, unknown_models: client.unknown_models },
    copied,
    difference_usd: difference,
    by_model: byModel(calls, client),
    only_wire: shown(onlyWire),
    only_transcript: shown(onlyTranscript),
    explanation: client === null || difference === null ? [] : explain(calls, later, copied, client, difference),
    partial: read.length > MAX_CALLS,
  }
}

/** Parses the client's account (`cost-state` of a transcript). Ignores fields that it does not know. */
function accountOf(row: ReturnType<typeof clientAccount>): ClientAccount | null {
  if (row === undefined) return null
  const account = JSON.parse(row.client_cost) as { readonly [field: string]: unknown }
  const { modelUsage } = account
  const models = new Map<string, number>()
  if (typeof modelUsage === 'object' && modelUsage !== null)
    for (const [model, figures] of Object.entries(modelUsage as { readonly [model: string]: unknown })) {
      const cost = typeof figures === 'object' && figures !== null && 'costUSD' in figures ? figures.costUSD : null
      if (typeof cost === 'number') models.set(model, cost)
    }
  return {
    cost_usd: row.client_cost_usd,
    at: row.client_cost_at,
    unknown_models: account['hasUnknownModelCost'] === true,
    models,
  }
}

function byModel(calls: readonly SeenCall[], client: ClientAccount | null) {
  const models = new Map<string, { model: string; ours_usd: number | null; client_usd: number | null }>()
  const entryOf = (model: string) => {
    // A model can have two names: with and without its context window or date.
    const key = modelNames(model).at(-1) ?? model
    const entry = models.get(key) ?? { model, ours_usd: null, client_usd: null }
    models.set(key, entry)
    return entry
  }
  for (const { model, cost_usd: cost } of calls) {
    const entry = entryOf(model)
    if (cost !== null) entry.ours_usd = (entry.ours_usd ?? 0) + cost
  }
  for (const [model, cost] of client?.models ?? []) {
    const entry = entryOf(model)
    entry.client_usd = (entry.client_usd ?? 0) + cost
  }
  return [...models.values()].sort((a, b) => (b.ours_usd ?? 0) - (a.ours_usd ?? 0))
}

function shown(calls: readonly SeenCall[]): OperationOutput<'sessions.reconcile'>['only_wire'] {
  return {
    calls: calls.length,
    cost_usd: spentBy(calls).cost_usd,
    items: calls.slice(0, CALLS_SHOWN).map(({ uuid, timestamp, model, request_kind, cost_usd }) => ({
      uuid,
      timestamp,
      model,
      request_kind,
      cost_usd,
    })),
  }
}

function explain(
  calls: readonly SeenCall[],
  later: readonly SeenCall[],
  copied: OperationOutput<'sessions.reconcile'>['copied'],
  client: ClientAccount,
  difference: number,
): string[] {
  const reasons: string[] = []
  if (later.length > 0)
    reasons.push(
      `${count(later, 'request')} after the client's account of ${client.at}: ${usd(spentBy(later).cost_usd)} of ours, left out.`,
    )
  if (copied.calls > 0)
    reasons.push(
      `A fork: the client's account holds ${usd(copied.cost_usd)} of the session it was made from, where we count them.`,
    )
  if (Math.abs(difference) <= ROUNDING_USD) return reasons
  const unpriced = calls.filter(({ cost_usd }) => cost_usd === null)
  if (unpriced.length > 0) {
    const models = [...new Set(unpriced.map(({ model }) => model))].join(', ')
    reasons.push(`${count(unpriced, 'request')} of models without a price (${models}) are not in our total.`)
  }
  const bounds = calls.filter(({ basis }) => basis === 'lower_bound')
  const cut = bounds.filter(({ by_wire }) => by_wire)
  const unseen = bounds.filter(({ by_wire }) => !by_wire)
  if (unseen.length > 0)
    reasons.push(
      `${count(unseen, 'request')} known from the transcript alone: their output may be counted too low by us.`,
    )
  if (cut.length > 0)
    reasons.push(
      `${count(cut, 'answer')} cut off: we count the tokens reported until then, ` +
        `${usd(spentBy(cut).cost_usd)}; the client counts an estimate of the text received, or nothing if there was none.`,
    )
  if (client.unknown_models) reasons.push('The client used models whose price it does not know.')
  for (const { model, ours_usd: ours, client_usd: own } of byModel(calls, client))
    if (ours !== null && own !== null && Math.abs(ours - own) > ROUNDING_USD)
      reasons.push(`${model}: ${usd(ours)} at list prices, ${usd(own)} by the client's own table.`)
  const side = difference > 0 ? 'More than the client counts' : 'Less than the client counts'
  reasons.push(`${side}: ${usd(Math.abs(difference))}.`)
  if (difference < 0 && bounds.length === 0 && unpriced.length === 0)
    reasons.push(
      'Calls that neither the proxy nor a transcript saw, such as titles and summaries before recording began.',
    )
  return reasons
}

const usd = (amount: number): string => `$${amount.toFixed(6)}`
const count = (calls: readonly unknown[], noun: string): string =>
  `${calls.length} ${noun}${calls.length === 1 ? '' : 's'}`
