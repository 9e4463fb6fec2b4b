import { localZone } from '../../../../shared/wall-time.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { RECEIPT_CLASSES } from '../../../../shared/contract/receipt.ts'
import type { ReaderHandler } from '../../../dispatch/handlers.ts'
import type { Pricing } from '../../../store/pricing/pricing.ts'
import {
  agentTypes,
  answersWithoutUsage,
  failedRequests,
  paidCalls,
  receiptSessions,
  unseenSessions,
  type PaidCall,
} from '../../../store/read/receipt.ts'
import type { Reader, Rows } from '../../../store/read/reader.ts'
import { requireSession } from '../../../store/read/sessions.ts'
import { given } from '../given.ts'
import { sessionReconcile } from '../reconcile.ts'
import { spentBy } from '../../../../shared/spend.ts'
import { costByClass, UNITS } from './classes.ts'
import { compareAccounts } from './compare.ts'
import { receiptCsv } from './receipt-csv.ts'
import { receiptPage } from './receipt-page.ts'
import { addCall, dayOfOrRefuse, emptySum, sumBy, tokensOf } from './sums.ts'

export type Receipt = OperationOutput<'receipt'>

/** Bounds the sessions whose client totals are compared. */
const MAX_CLIENT_TOTALS = 50

/** Adds up every recorded call of a session or a time span. */
export const receipt: ReaderHandler<'receipt'> = (reader, { format, tz, time_zone: older, compare, ...input }) => {
  const time_zone = tz ?? older ?? localZone()
  const span = given(input)
  if (span.session_id !== undefined) requireSession(reader, span.session_id)
  const dayOf = dayOfOrRefuse(time_zone)
  const calls = paidCalls(reader, span)
  const total = emptySum()
  for (const call of calls) addCall(total, call)
  const ids = [...new Set(calls.map(({ session_id }) => session_id))]
  const sessions = new Map(receiptSessions(reader, ids).map((session) => [session.id, session]))
  const types = new Map(
    agentTypes(reader, ids).map((agent) => [`${agent.session_id}\n${agent.agent_id}`, agent.agent_type]),
  )
  const withClient = ids.filter((id) => (sessions.get(id)?.client_cost_usd ?? null) !== null)
  const cut = calls.filter(({ basis, seen }) => basis === 'lower_bound' && seen % 2 === 1)
  const made: Receipt = {
    session_id: span.session_id ?? null,
    since: span.since ?? null,
    until: span.until ?? null,
    time_zone,
    total,
    by_model: byCost(sumBy(calls, ({ model }) => ({ model }))),
    by_day: sumBy(calls, ({ timestamp }) => ({ day: dayOf(timestamp) })).sort((a, b) => (a.day < b.day ? -1 : 1)),
    by_session: byCost(
      sumBy(calls, ({ session_id }) => ({ session_id, title: sessions.get(session_id)?.title ?? null })),
    ),
    by_agent: byCost(
      sumBy(calls, ({ session_id, agent_id }) => ({
        session_id,
        agent_id,
        agent_type: types.get(`${session_id}\n${agent_id}`) ?? null,
      })),
    ),
    by_class: byClass(reader.pricing, calls),
    by_tier: byCost(
      sumBy(calls, ({ service_tier, speed, inference_geo }) => ({
        service_tier,
        // Sources that report no speed are of standard speed, too.
        speed: speed === 'standard' ? null : speed,
        inference_geo,
      })),
    ),
    by_server_tool: serverTools(reader.pricing, calls),
    cut: {
      answers: cut.length,
      answers_usd: spentBy(cut).cost_usd,
      failed_requests: failedRequests(reader, span),
    },
    client: withClient.slice(0, MAX_CLIENT_TOTALS).map((id) => clientTotal(reader, id)),
    covered: coverage(calls),
    gaps: gapsOf(calls, withClient.length, answersWithoutUsage(reader, span), unseenSessions(reader, span)),
    ...(compare === undefined ? {} : { comparison: compareAccounts(reader, calls, compare, dayOf) }),
    partial: calls.isCut === true,
  }
  if (format === 'csv') return { ...made, document: receiptCsv(made) }
  if (format === 'html') return { ...made, document: receiptPage(made) }
  return made
}

function byClass(pricing: Pricing, calls: readonly PaidCall[]): Receipt['by_class'] {
  const costs = calls.map((call) => costByClass(pricing, call))
  return RECEIPT_CLASSES.map((name) => ({
    class: name,
    units: calls.reduce((sum, call) => sum + UNITS[name](call), 0),
    cost_usd: costs.reduce((sum, cost) => sum + (cost?.[name] ?? 0), 0),
  }))
}

function serverTools(pricing: Pricing, calls: readonly PaidCall[]): Receipt['by_server_tool'] {
  const searching = calls.filter(({ web_search_requests: searches }) => searches > 0)
  if (searching.length === 0) return []
  return [
    {
      tool: 'web_search',
      uses: searching.reduce((sum, { web_search_requests: searches }) => sum + searches, 0),
      cost_usd: searching.reduce((sum, call) => sum + (costByClass(pricing, call)?.web_search ?? 0), 0),
    },
  ]
}

function clientTotal(reader: Reader, id: string): Receipt['client'][number] {
  const { ours, client, difference_usd, explanation } = sessionReconcile(reader, { session_id: id })
  return {
    session_id: id,
    ours_usd: ours.cost_usd,
    client_usd: client?.cost_usd ?? 0,
    difference_usd: difference_usd === null ? null : -difference_usd,
    explanation,
  }
}

function coverage(calls: readonly PaidCall[]): Receipt['covered'] {
  const tokens = calls.reduce((sum, call) => sum + tokensOf(call), 0)
  const priced = calls.reduce((sum, call) => sum + (call.cost_usd === null ? 0 : tokensOf(call)), 0)
  const { cost_usd: cost } = spentBy(calls)
  return {
    priced_tokens_share: tokens === 0 ? null : priced / tokens,
    measured_usd_share: cost === 0 ? null : spentBy(calls.filter(({ basis }) => basis === 'measured')).cost_usd / cost,
    transcript_only_calls: calls.filter(({ seen }) => seen === 2).length,
  }
}

function gapsOf(calls: Rows<PaidCall>, clientTotals: number, withoutUsage: number, unseen: number): string[] {
  const unpriced = calls.filter(({ cost_usd }) => cost_usd === null)
  const silent = calls.filter((call) => tokensOf(call) === 0).length + withoutUsage
  const lineOnly = calls.filter(({ basis, seen }) => basis === 'lower_bound' && seen === 2)
  const models = [...new Set(unpriced.map(({ model }) => model))].slice(0, 5).join(', ')
  const tiers = new Set(
    calls.filter(({ service_tier: tier }) => tier !== null && tier !== 'standard' && tier !== 'batch'),
  )
  return [
    ...(calls.isCut === true ? ['Not all calls could be read in time. Choose a shorter time span.'] : []),
    ...(unpriced.length === 0
      ? []
      : [`${count(unpriced.length, 'request')} without a price (${models}) are not in the sums.`]),
    ...(silent === 0 ? [] : [`${count(silent, 'request')} reported no usage and cost nothing here.`]),
    ...(unseen === 0
      ? []
      : [
          `${count(unseen, 'session')} with prompts but no usage, known only from hooks or transcripts: costs unknown.`,
        ]),
    ...(lineOnly.length === 0
      ? []
      : [`${count(lineOnly.length, 'request')} known from transcripts only: their output may be counted too low.`]),
    ...(tiers.size === 0
      ? []
      : [`${count(tiers.size, 'request')} of a tier without a list price are priced as standard.`]),
    ...(clientTotals > MAX_CLIENT_TOTALS
      ? [`The client's totals are compared for ${MAX_CLIENT_TOTALS} of ${clientTotals} sessions.`]
      : []),
    'Costs are at API list prices. Requests that were not recorded are not included.',
  ]
}

const byCost = <Row extends { readonly cost_usd: number }>(rows: Row[]): Row[] =>
  rows.sort((a, b) => b.cost_usd - a.cost_usd)
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
