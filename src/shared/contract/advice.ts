import { z } from 'zod'
import { bounded, project } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'

const MAX_EVIDENCE = 500

/** What a suggestion is about. */
export const ADVICE_KINDS = [
  'pauses',
  'broken_cache',
  'carried_unused',
  'large_output',
  'failing_command',
  'permissions',
  'unrequested',
  'costly_agents',
] as const
export type AdviceKindName = (typeof ADVICE_KINDS)[number]

export const ADVICE_STATES = [
  'open',
  'applied',
  'worked',
  'partly',
  'no_effect',
  'worse',
  'undone',
  'dismissed',
] as const
export type AdviceState = (typeof ADVICE_STATES)[number]

const item = z.object({
  id: z.string(),
  kind: z.enum(ADVICE_KINDS),
  /** Where it holds: the working directory and the client; absent: everywhere. */
  scope: z.object({ project: z.string().optional(), client: z.string().optional() }),
  headline: z.string(),
  /** The MCP servers that it is about, if it is about several together. */
  servers: z.array(z.string()).optional(),
  /** uuids of events that show it, most expensive first; at most 500. */
  evidence: z.array(z.string()),
  /** The same events, each with its session, its time, and what it cost in money or in minutes of waiting. */
  cases: z.array(
    z.object({
      uuid: z.string(),
      session_id: z.string(),
      session_title: z.string().optional(),
      timestamp: z.string(),
      usd: z.number(),
      minutes: z.number(),
    }),
  ),
  /** How often it happened. */
  hits: z.number(),
  /** How often it could have happened. */
  opportunities: z.number(),
  /** Days between the first and the newest record of the folder. Below 30, amounts are sums of these days. */
  recorded_days: z.number(),
  /**
   * At stake in 30 days, on average, before what the fix costs; of a folder that is known for less than that, in all of its
   * days.
   */
  usd_per_month: z.number(),
  minutes_per_month: z.number(),
  /** USD in the next such time, nine times in ten. */
  band: z.tuple([z.number(), z.number()]),
  /** Null if there is nothing to change, as when the client itself is the cause. */
  fix: z
    .object({
      title: z.string(),
      steps: z.array(z.string()),
      /** Changes that `advice.apply` makes, or made if it is applied, each as a diff of the whole file. */
      files: z.array(z.object({ path: z.string(), diff: z.string() })),
    })
    .nullable(),
  state: z.enum(ADVICE_STATES),
  /** Mean cost of an opportunity before and after the fix; null until both sides have ten opportunities. */
  checked: z.object({ before: z.number(), after: z.number(), n: z.number(), p: z.number() }).nullable(),
})
export type Advice = z.infer<typeof item>

export const adviceList = operation({
  name: 'advice.list',
  summary: 'Suggestions from what was recorded, each with its stake, evidence and fix, most expensive first.',
  http: { method: 'GET', path: '/api/advice' },
  input: z.object({
    project,
    /** Maximum number of uuids of each. */
    evidence: bounded(MAX_EVIDENCE, MAX_EVIDENCE),
  }),
  output: z.object({ items: z.array(item) }),
  mcp: mcpTools.advice,
})

/** The suggestion after a decision. `note`: what the person should know, or do by hand. */
const decided = z.object({ item, note: z.string().nullable() })
const one = z.object({ id: z.string().min(1).max(100) })

export const adviceApply = operation({
  name: 'advice.apply',
  summary: 'Makes the change that a suggestion shows, and begins to check whether it helps.',
  place: 'main',
  writes: true,
  http: { method: 'POST', path: '/api/advice/:id/apply' },
  input: one,
  output: decided,
})

export const adviceUndo = operation({
  name: 'advice.undo',
  summary: 'Takes back the change of a suggestion, or its dismissal.',
  place: 'main',
  writes: true,
  http: { method: 'POST', path: '/api/advice/:id/undo' },
  input: one,
  output: decided,
})

export const adviceDismiss = operation({
  name: 'advice.dismiss',
  summary: 'Dismisses a suggestion until its evidence has doubled.',
  place: 'main',
  writes: true,
  http: { method: 'POST', path: '/api/advice/:id/dismiss' },
  input: one,
  output: decided,
})
