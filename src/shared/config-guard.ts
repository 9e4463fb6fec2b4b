import { z } from 'zod'

const usd = z.number().min(0).max(1_000_000)
const tokens = z.number().int().min(0).max(1_000_000_000_000)
const times = z.number().int().min(0).max(10_000)

/** Absolute on any system: sessions have their full working directory, so a name or `~` would match none. */
const ABSOLUTE = /^(?:[/\\]|[a-z]:[/\\])/i

/** Limits that a project may set for itself. */
const projectGuard = z.strictObject({
  /** The working directory of the sessions. */
  project: z
    .string()
    .regex(ABSOLUTE, 'give the full path of the working directory, such as /home/me/shop')
    .transform((path) => path.replace(/(?<=[^/\\:])[/\\]+$/, '')),
  request_usd: usd.optional(),
  session_usd: usd.optional(),
  agent_tree_usd: usd.optional(),
  hour_usd: usd.optional(),
  day_usd: usd.optional(),
  request_tokens: tokens.optional(),
  session_tokens: tokens.optional(),
  agent_tree_tokens: tokens.optional(),
  hour_tokens: tokens.optional(),
  day_tokens: tokens.optional(),
  agents_per_turn: times.optional(),
  repeat_calls: times.optional(),
  growing_fan_out: times.optional(),
})

/** `[guard]`: limits that stop a request before it is sent. All are 0, which means off. */
export const guardSection = z
  .strictObject({
    request_usd: usd.default(0).describe('Cap on the estimated cost of one request, in USD. 0: no cap.'),
    session_usd: usd.default(0).describe('Cap on the cost of a session. 0: no cap.'),
    agent_tree_usd: usd
      .default(0)
      .describe('Cap on the cost of a subagent together with the subagents below it. 0: no cap.'),
    hour_usd: usd.default(0).describe('Cap on the cost of a clock hour. 0: no cap.'),
    day_usd: usd.default(0).describe('Cap on the cost of a day. 0: no cap.'),
    request_tokens: tokens
      .default(0)
      .describe('Cap on the estimated tokens of one request, cached ones included. 0: no cap.'),
    session_tokens: tokens.default(0).describe('Cap on the tokens of a session. 0: no cap.'),
    agent_tree_tokens: tokens
      .default(0)
      .describe('Cap on the tokens of a subagent together with the subagents below it. 0: no cap.'),
    hour_tokens: tokens.default(0).describe('Cap on the tokens of a clock hour. 0: no cap.'),
    day_tokens: tokens.default(0).describe('Cap on the tokens of a day. 0: no cap.'),
    agents_per_turn: times.default(0).describe('Cap on the subagents that one turn may start. 0: no cap.'),
    repeat_calls: times
      .default(0)
      .describe('Cap on calls of the same tool with the same input within one turn. 0: no cap.'),
    growing_fan_out: times
      .default(0)
      .describe(
        'Cap on the growth of a fan-out: levels of agents that agents start, or turns in a row that each start more agents than the one before. 0: no cap.',
      ),
    when_away: z
      .enum(['pass', 'refuse'])
      .default('pass')
      .describe(
        'What happens to requests while Aspy itself is down, when no cap holds. pass: forward them unrecorded. refuse: answer with an error.',
      ),
    action: z
      .enum(['notify', 'hold', 'refuse'])
      .default('hold')
      .describe(
        'When a cap is reached. notify: forward the request and report it. hold: wait for your decision. refuse: answer with an error that ends the turn.',
      ),
    hold_seconds: z
      .number()
      .min(1)
      .max(540)
      .default(240)
      .describe('How long a request waits for your decision before it is refused.'),
    strict: z
      .boolean()
      .default(false)
      .describe('Assume that each response uses all of max_tokens. Off: estimate its length from earlier responses.'),
    fail_open: z
      .boolean()
      .default(true)
      .describe('Forward a request that could not be priced. Off: treat it as over a cap.'),
    decide_ms: z
      .number()
      .min(10)
      .max(10_000)
      .default(100)
      .describe('Time limit in ms for pricing a request before it is sent.'),
    projects: z
      .array(projectGuard)
      .superRefine((projects, context) => {
        for (const [at, { project }] of projects.entries()) {
          if (projects.findIndex((one) => one.project === project) === at) continue
          context.addIssue({ code: 'custom', path: [at, 'project'], message: `${project} has its caps twice` })
        }
      })
      .default([])
      .describe(
        'Caps of individual projects. Caps per hour and day apply to the project alone, and those above still apply to all projects together; other caps replace those above.',
      ),
  })
  .prefault({})
