import { z } from 'zod'
import { CACHE_CAUSES } from '../../../shared/cache-causes.ts'
import { EVENT_KINDS, EVENT_SOURCES } from '../../../shared/event.ts'

/**
 * A batch of a device's change log, as JSON over POST /team/v1/batches. Everything in it is checked: a device may be lost,
 * and its program replaced.
 */

/** Events in one batch, at most. */
export const MAX_BATCH_EVENTS = 2000
/** Bytes of one batch, at most. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024
/** A text of a payload that is longer is sent as a content, and referred to by `{"$content": hash}`. */
export const LONG_TEXT_CHARS = 1024

const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const name = z.string().max(300)
const count = z.int().min(0)
const small = z.int().min(0).max(2_147_483_647)
/** Figures are bounded far above real ones, so that one member's cannot overflow the sums of all. */
const tokens = z.int().min(0).max(1_000_000_000_000)
const usd = z.number().min(0).max(1_000_000)
const milliseconds = z.number().max(10_000_000_000_000)
/** A withdrawal adds to it. */
const MAX_EPOCH = 1_000_000_000
const moment = z
  .string()
  .max(40)
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
  .refine(isOfCalendar, 'not a time')

/** True for an existing day, in years that PostgreSQL and JavaScript format alike. */
function isOfCalendar(text: string): boolean {
  const time = Date.parse(text)
  if (!Number.isFinite(time) || text < '0001' || text >= '9999') return false
  return new Date(time).toISOString().slice(0, 10) === text.slice(0, 10)
}

const usage = z.strictObject({
  model: name,
  basis: z.enum(['measured', 'lower_bound']),
  input_tokens: tokens,
  output_tokens: tokens,
  thinking_tokens: tokens.nullable(),
  cache_read_tokens: tokens,
  cache_creation_tokens: tokens,
  cache_creation_1h_tokens: tokens,
  /** USD; null: the model has no price. */
  cost_usd: usd.nullable(),
})

/**
 * The cache ledger's facts about an answer's request: figures and a cause from a closed list, without place or detail.
 */
const cache = z.strictObject({
  sent_at: moment,
  /** The request; null: not captured. */
  exchange: uuid.nullable(),
  could_read: tokens,
  missed_tokens: tokens,
  /** USD; null: the model has no price. */
  waste_usd: usd.nullable(),
  cause: z.enum(CACHE_CAUSES).nullable(),
  /** True if the API names the same reason; null: it named none that could be compared. */
  vendor_agrees: z.boolean().nullable(),
})

/** The used share of a limit of the member's account, as the API reports it. */
const limit = z.strictObject({
  /** `5h`, `7d`, or one of a single model such as `7d_opus`. */
  window: z.string().regex(/^\d{1,3}[hd](_[a-z0-9]{1,20})?$/),
  /** Id of the account, hashed with the team's key; absent: not known. */
  account: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .optional(),
  /** Share of the limit, 0 to 1. */
  used: z.number().min(0).max(1000),
  resets_at: moment.nullable(),
})

/**
 * The closed list of columns of the policy `metadata`: keyed ids, kind, times, model, usage, cost, cache misses, limits, tool
 * name, outcome, and the project under the name that the member confirmed.
 */
const metadata = {
  uuid,
  /** All natural keys of the event, and its uuid, hashed with the team's key. */
  keys: z.array(uuid).min(1).max(50),
  session_id: z.string().min(1).max(200),
  session_key: uuid,
  turn_id: small,
  seq: small,
  agent_id: z.string().max(200).nullable(),
  parent_uuid: uuid.nullable(),
  /** The key of the parent among its `keys`. */
  parent_key: uuid.nullable(),
  root_uuid: uuid.nullable(),
  depth: small.nullable(),
  kind: z.enum(EVENT_KINDS),
  source: z.enum(EVENT_SOURCES),
  ts: moment,
  duration_ms: milliseconds.min(-10_000_000_000_000).nullable(),
  success: z.boolean().nullable(),
  /** Position in the device's change log: of two versions of an event, the later one counts. */
  position: count,
  project: z.string().max(1000),
  shared: z.boolean(),
  is_prompt: z.boolean(),
  tool_name: name.nullable(),
  outcome: z.enum(['ok', 'failed', 'rejected', 'api_error']).nullable(),
  usage: usage.nullable(),
  cache: cache.optional(),
  limits: z.array(limit).min(1).max(12).optional(),
}

const metadataEvent = z.strictObject({ level: z.literal('metadata'), ...metadata })
const fullEvent = z.strictObject({
  level: z.literal('full'),
  ...metadata,
  error_message: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  /** The contents that the payload refers to. */
  contents: z.array(hash).max(10_000),
  /** The searchable text; null: none. */
  text: z.string().nullable(),
})
export const batchEvent = z.discriminatedUnion('level', [metadataEvent, fullEvent])
export type BatchEvent = z.infer<typeof batchEvent>

/** Facts about a session other than its events. Names and titles only with the policy `full`. */
export const batchSession = z.strictObject({
  session_key: uuid,
  session_id: z.string().min(1).max(200),
  level: z.enum(['metadata', 'full']),
  shared: z.boolean(),
  project: z.string().max(1000),
  git_branch: z.string().max(1000).nullable(),
  title: z.string().max(2000).nullable(),
  client: name,
  client_version: name.nullable(),
  source: z.enum(['hook', 'warmup', 'first_seen', 'transcript']),
  active_ms: milliseconds.min(0),
  ended_at: moment.nullable(),
})
export type BatchSession = z.infer<typeof batchSession>

export const batch = z
  .strictObject({
    /** The store that the device joined. Another one refuses the batch. */
    target_id: uuid,
    /** Name of the device's log; a log that starts over gets a new name. */
    log: z.string().min(1).max(100),
    /** Grows whenever the device sends its log again from the start. */
    epoch: small.max(MAX_EPOCH),
    /** The batch holds the changes after this position, up to and including `up_to`. */
    after: count,
    up_to: count,
    events: z.array(batchEvent).max(MAX_BATCH_EVENTS),
    sessions: z.array(batchSession).max(MAX_BATCH_EVENTS),
    contents: z.array(z.strictObject({ hash, content: z.string() })).max(20_000),
    /** Keys of events that no longer exist. */
    removed: z.array(uuid).max(MAX_BATCH_EVENTS),
    /** Keys of sessions that were deleted for good. */
    tombstones: z.array(uuid).max(MAX_BATCH_EVENTS),
  })
  .refine(({ after, up_to }) => up_to > after, 'up_to must be greater than after')
export type Batch = z.infer<typeof batch>

/** The answer to a batch: the position up to which the store has the device's log. */
export const receipt = z.object({ position: z.int(), epoch: z.int(), stored: z.int() })
export type Receipt = z.infer<typeof receipt>

/** The answer to GET /team/v1/shared: the projects with sessions of a member that other members can read in part. */
export const sharedProjects = z.object({ shared: z.array(z.object({ session_key: z.string(), project: z.string() })) })
export type SharedProject = z.infer<typeof sharedProjects>['shared'][number]

/** The answer to POST /team/v1/join. */
export const membership = z.object({
  target_id: z.string(),
  device_id: z.string(),
  device_token: z.string(),
  /** Base64 of the key for keyed ids. */
  hash_key: z.string(),
  member: z.string(),
  role: z.enum(['member', 'reader', 'admin']),
})

/** The answer to POST /team/v1/sessions. */
export const deviceSession = z.object({ token: z.string(), expires_at: z.string() })

/** The answer to GET /team/v1/target. */
export const target = z.object({
  target_id: z.string(),
  schema_version: z.int(),
  /** False for an older server: for each event, it learns only from a repeated batch that nobody else may read it. */
  can_unshare: z.boolean().default(false),
  member: z.string(),
  role: z.string(),
  devices: z.array(z.object({ id: z.string(), name: z.string(), last_seen_at: z.string().nullable() })),
  positions: z.array(z.object({ log: z.string(), epoch: z.int(), position: z.int() })),
})
