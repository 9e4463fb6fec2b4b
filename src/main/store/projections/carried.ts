import type { AnyEvent } from '../../../shared/event.ts'
import { promptTokens } from '../../ledger/missed.ts'
import { blockCount } from '../../ledger/carried-thing.ts'
import type { RequestBlocks } from '../../ledger/request-blocks.ts'
import type { Sighting } from '../log/log.ts'
import { AnsweredCalls, type AnsweredCall } from './answered-calls.ts'
import { lineOf, tokensOf } from './cache-line.ts'
import { CarryLines } from './carry-lines.ts'
import { defineCarryWeeks } from './carry-weeks.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'

/** A request with more blocks is damage. */
const MAX_BLOCKS = 100_000

/**
 * Life cost: what each block of a context cost while it was carried. A row of `carried` is a block, from the first to the last
 * request of its line that had it; `carry_calls` has what a token of each class cost in a request, and where the classes
 * end. So rows grow with new blocks and requests. `carry_groups` has the sums of each line, `carry_weeks` those of all.
 */
export const carried: Projection = {
  name: 'carried',
  define: (t, own) => [
    `CREATE TABLE ${t.carry_lines} (
  line_id        INTEGER PRIMARY KEY, -- the usage of its first request
  session_id     TEXT    NOT NULL,
  agent_id       TEXT,
  line           TEXT    NOT NULL,    -- as in cache_calls
  request_uuid   TEXT    NOT NULL,    -- its last request
  first_at       INTEGER NOT NULL,    -- ms since 1970
  last_at        INTEGER NOT NULL,
  cached_blocks  INTEGER NOT NULL,    -- of that request: those read and written
  cached_tokens  INTEGER NOT NULL,
  requests       INTEGER NOT NULL,
  read_tokens    REAL    NOT NULL,    -- sums for each token that was read in all its requests
  read_usd       REAL    NOT NULL
) STRICT`,
    `CREATE TABLE ${t.carry_calls} (
  event_id            INTEGER PRIMARY KEY, -- the usage
  line_id             INTEGER,             -- null: the blocks are not known
  number              INTEGER,             -- counts from 1 in its line
  sent_at             INTEGER NOT NULL,    -- ms since 1970
  input_tokens        INTEGER NOT NULL,    -- all classes
  input_usd           REAL,                -- null: unpriced
  rest_tokens         REAL    NOT NULL,    -- of no block
  rest_usd            REAL    NOT NULL,
  reason              TEXT,                -- why its blocks are not known
  kept                INTEGER,             -- blocks at its beginning that are those of the request before
  read_end            INTEGER,             -- blocks that were read, up to here; then written for an hour
  written_1h_end      INTEGER,             -- then for five minutes
  cached_end          INTEGER,             -- then uncached
  read_tokens         REAL,                -- for each token of a block: of the API's count, and USD
  read_usd            REAL,
  written_1h_tokens   REAL,
  written_1h_usd      REAL,
  written_5m_tokens   REAL,
  written_5m_usd      REAL,
  uncached_tokens     REAL,
  uncached_usd        REAL
) STRICT`,
    `CREATE TABLE ${t.carried} (
  event_id     INTEGER NOT NULL, -- the usage of the request in which it entered
  position     INTEGER NOT NULL, -- among the blocks of that request
  line_id      INTEGER NOT NULL,
  group_number INTEGER NOT NULL, -- what it is: in carry_groups
  turn_number  INTEGER NOT NULL, -- the turn in which it entered: in carry_groups
  bytes        INTEGER,
  tokens       REAL    NOT NULL,
  first        INTEGER NOT NULL, -- numbers of requests
  last         INTEGER,          -- null: to the end of the line
  PRIMARY KEY (event_id, position)
) STRICT`,
    `CREATE TABLE ${t.carry_groups} (
  event_id        INTEGER NOT NULL, -- the line
  number          INTEGER NOT NULL,
  turn_id         INTEGER,          -- a group of all that entered in a turn, or of a kind:
  kind            TEXT,
  tool            TEXT,
  server          TEXT,
  name            TEXT,             -- a file, or the name of a skill
  blocks          INTEGER NOT NULL, -- all that entered
  bytes           INTEGER NOT NULL,
  open_tokens     REAL    NOT NULL, -- of blocks that are still carried; they read these times the sums of the line
  open_blocks     INTEGER NOT NULL, -- and were carried by its requests
  requests        INTEGER NOT NULL, -- added to it; may be negative
  read_tokens     REAL    NOT NULL,
  read_usd        REAL    NOT NULL,
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (event_id, number)
) STRICT`,
    `CREATE INDEX ${own('carry_lines_by_session')} ON ${t.carry_lines} (session_id, agent_id, line)`,
    `CREATE INDEX ${own('carry_calls_by_line')} ON ${t.carry_calls} (line_id, number, sent_at)`,
    `CREATE INDEX ${own('carried_by_line')} ON ${t.carried} (line_id, first, position)`,
    `CREATE INDEX ${own('carry_calls_by_time')} ON ${t.carry_calls} (sent_at, input_tokens, input_usd)`,
    `CREATE INDEX ${own('carry_calls_unknown')} ON ${t.carry_calls} (sent_at) WHERE reason IS NOT NULL`,
    ...defineCarryWeeks(t, own),
  ],
  open: (context) => new Carried(context),
}

class Carried implements OpenProjection {
  readonly #context: ProjectionContext
  readonly #calls: AnsweredCalls
  readonly #lines: CarryLines
  readonly #isKnown
  readonly #insertUnknown

  constructor(context: ProjectionContext) {
    const { prepare, tables: t } = context
    this.#context = context
    this.#calls = new AnsweredCalls(context, (call) => this.#take(call))
    this.#lines = new CarryLines(context)
    this.#isKnown = prepare<[number], number>(
      `SELECT 1 FROM ${t.carry_calls} WHERE event_id = ? AND line_id IS NOT NULL`,
    ).pluck()
    this.#insertUnknown = prepare<[number, number, number, number | null, number, number, string]>(
      `INSERT OR REPLACE INTO ${t.carry_calls} (event_id, sent_at, input_tokens, input_usd, rest_tokens, rest_usd, reason)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  apply(event: AnyEvent): void {
    this.#calls.apply(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    this.#calls.applySighting(event, sighting, before)
  }

  flush(): void {
    this.#lines.flush()
  }

  discard(): void {
    this.#calls.discard()
    this.#lines.discard()
  }

  #take(call: AnsweredCall): void {
    const { event, facts, request } = call
    if (this.#isKnown.get(event.id) === 1) return
    const usage = tokensOf(facts)
    const blocks = request === null ? null : this.#context.requestBlocks.of(request.uuid)
    const usd = this.#context.pricing.parts(facts.model, facts.usage, event.ts_wall)
    const sentAt = Date.parse(request?.ts_wall ?? event.ts_wall)
    const tokens = promptTokens(usage)
    const reason = reasonOf(call, blocks, tokens)
    if (request === null || blocks === null || reason !== null) {
      const inputUsd = usd === null ? null : usd.input + usd.cache_read + usd.cache_write_5m + usd.cache_write_1h
      this.#insertUnknown.run(event.id, sentAt, tokens, inputUsd, tokens, inputUsd ?? 0, reason ?? 'not_captured')
      return
    }
    this.#lines.add({ event, line: lineOf(facts, blocks), request: request.uuid, sentAt, usage, usd, blocks })
  }
}

function reasonOf({ request, unreported }: AnsweredCall, blocks: RequestBlocks | null, tokens: number): string | null {
  if (request === null) return 'not_captured'
  if (blocks === null) return 'body_gone'
  if (unreported || tokens === 0) return 'usage_unreported'
  const count = blockCount(blocks)
  return count === 0 || count > MAX_BLOCKS ? 'no_blocks' : null
}
