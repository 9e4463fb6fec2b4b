import { z } from 'zod'
import { limit, ofSession, since, tz, until } from './fields.ts'
import { operation } from './operation.ts'
import { spend } from './spend.ts'

const tokens = {
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  /** All cache writes, those for an hour included. */
  cache_write_tokens: z.number(),
}

/** A sum of calls. */
const line = { calls: z.number(), ...tokens, ...spend }

export const RECEIPT_CLASSES = [
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'web_search',
] as const
export type ReceiptClass = (typeof RECEIPT_CLASSES)[number]

/** A row of another program's report, compared with the calls of the same period and model. */
const difference = z.object({
  period: z.string(),
  model: z.string(),
  ours: z.object({ ...tokens, cost_usd: z.number() }),
  theirs: z.object({ ...tokens, cost_usd: z.number() }),
  /** Theirs minus ours. */
  difference_usd: z.number(),
  difference_tokens: z.number(),
  /**
   * Explanation of the difference. The amounts of `reasons` add up to `difference_usd`, and their tokens to
   * `difference_tokens`.
   */
  reasons: z.array(
    z.object({
      kind: z.enum([
        'only_wire',
        'lower_in_transcript',
        'priced_differently',
        'unpriced',
        'not_recorded',
        'unexplained',
      ]),
      calls: z.number().nullable(),
      tokens: z.number(),
      usd: z.number(),
      text: z.string(),
    }),
  ),
})

export const RECEIPT_FORMATS = ['json', 'csv', 'html'] as const

export const receipt = operation({
  name: 'receipt',
  summary: 'What was paid for, by model, day, session, agent, kind of token, tier and server tool.',
  http: { method: 'GET', path: '/api/lifestats/receipt' },
  documents: { field: 'format', types: { csv: 'text/csv; charset=utf-8', html: 'text/html; charset=utf-8' } },
  input: z.object({
    session_id: ofSession,
    since,
    until,
    tz,
    /** csv and html put the receipt into `document`. */
    format: z.enum(RECEIPT_FORMATS).default('json'),
    /** Earlier name of `tz`. */
    time_zone: z.string().max(100).optional(),
    /** The parsed JSON of `ccusage daily|weekly|monthly|session|blocks --json`, version 18 or 20. */
    compare: z.record(z.string(), z.unknown()).optional(),
  }),
  output: z.object({
    session_id: z.string().nullable(),
    since: z.string().nullable(),
    until: z.string().nullable(),
    time_zone: z.string(),
    total: z.object(line),
    by_model: z.array(z.object({ model: z.string(), ...line })),
    by_day: z.array(z.object({ day: z.string(), ...line })),
    by_session: z.array(z.object({ session_id: z.string(), title: z.string().nullable(), ...line })),
    /** `agent_id` null: the main agent. */
    by_agent: z.array(
      z.object({ session_id: z.string(), agent_id: z.string().nullable(), agent_type: z.string().nullable(), ...line }),
    ),
    by_class: z.array(
      z.object({
        class: z.enum(RECEIPT_CLASSES),
        /** Searches for `web_search`. */
        units: z.number(),
        cost_usd: z.number(),
      }),
    ),
    /** Service tier, speed and region as the API reported them; null: not reported, or standard speed. */
    by_tier: z.array(
      z.object({
        service_tier: z.string().nullable(),
        speed: z.string().nullable(),
        inference_geo: z.string().nullable(),
        ...line,
      }),
    ),
    by_server_tool: z.array(z.object({ tool: z.string(), uses: z.number(), cost_usd: z.number() })),
    /** Answers that ended early, and requests that failed without usage. */
    cut: z.object({
      /** Answers cut off before their final usage: the cost is a lower bound. */
      answers: z.number(),
      answers_usd: z.number(),
      /** Failed requests. The API reported no usage for them, so they cost nothing here. */
      failed_requests: z.number(),
    }),
    /** The client's own totals of the sessions, and why they differ. At most 50 sessions. */
    client: z.array(
      z.object({
        session_id: z.string(),
        ours_usd: z.number(),
        client_usd: z.number(),
        difference_usd: z.number().nullable(),
        explanation: z.array(z.string()),
      }),
    ),
    covered: z.object({
      /** Share of the tokens that have a price, 0 to 1; null if there are none. */
      priced_tokens_share: z.number().nullable(),
      /** Share of the cost that was measured on the wire or is final in a transcript, 0 to 1; null without cost. */
      measured_usd_share: z.number().nullable(),
      /** Number of calls known only from transcripts. */
      transcript_only_calls: z.number(),
    }),
    /** Limitations of the receipt, as sentences. */
    gaps: z.array(z.string()),
    comparison: z.array(difference).optional(),
    /** The receipt as CSV or as a printable page; set if `format` asks for it. */
    document: z.string().optional(),
    /** True if not all calls were read within the time budget. */
    partial: z.boolean(),
  }),
})

/** Selects calls that a receipt sums up in one row. */
const row = {
  model: z.string().max(200).optional(),
  /** A day of the receipt's time zone (`2026-11-22`). */
  day: z.iso.date().optional(),
  /** Id of an agent, or `main`. */
  agent: z.string().min(1).max(200).optional(),
  class: z.enum(RECEIPT_CLASSES).optional(),
  /** `none`: the API did not report it; for a speed: or it is `standard`. */
  service_tier: z.string().max(100).optional(),
  speed: z.string().max(100).optional(),
  inference_geo: z.string().max(100).optional(),
  server_tool: z.enum(['web_search']).optional(),
}

const paid = z.object({
  /** uuid of the request; null if it was not captured. */
  exchange: z.string().nullable(),
  /** uuid of the event that holds the usage. */
  event: z.string(),
  session_id: z.string(),
  title: z.string().nullable(),
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  ts_wall: z.string(),
  model: z.string(),
  ...tokens,
  web_searches: z.number(),
  /** null if the model has no price. */
  cost_usd: z.number().nullable(),
})
export type PaidRequest = z.infer<typeof paid>

export const receiptCalls = operation({
  name: 'receipt.calls',
  summary: 'The calls behind a row of a receipt, most expensive first.',
  http: { method: 'GET', path: '/api/lifestats/receipt/calls' },
  input: z.object({
    session_id: ofSession,
    since,
    until,
    tz,
    /** Earlier name of `tz`, the time zone of `day`. */
    time_zone: z.string().max(100).optional(),
    ...row,
    limit: limit(50),
  }),
  output: z.object({
    items: z.array(paid),
    /** All calls that match, and their cost. */
    calls: z.number(),
    ...spend,
    /** True if not all calls were read within the time budget. */
    partial: z.boolean(),
  }),
})
