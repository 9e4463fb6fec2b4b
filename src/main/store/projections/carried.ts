import type { AnyEvent } from '../../../shared/event.ts'
import { promptTokens } from '../../ledger/missed.ts'
import { blockCount } from '../../ledger/carried-thing.ts'
import type { RequestBlocks } from '../../ledger/request-blocks.ts'
import type { Sighting } from '../log/log.ts'
import { AnsweredCalls, type AnsweredCall } from './answered-calls.ts'
import { lineOf, tokensOf } from './cache-line.ts'
import { CarryLines } from './carry-lines.ts'
import { defineCarryTriggers } from './carry-weeks.ts'
import { TranscriptBlocks } from './transcript-blocks.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'

/** A request with more blocks is invalid. */
const MAX_BLOCKS = 100_000

/**
 * Life cost: the cost of each block of a context while it was carried. A row of `carried` is a block, from the first to
 * the last request of its line that had it; `carry_calls` has the cost of a token of each class in a request, and the
 * ends of the classes. So rows grow with new blocks and requests. `carry_groups` has the sums of each line,
 * `carry_weeks` those of all.
 */
export const carried: Projection = {
  name: 'carried',
  define: defineCarryTriggers,
  open: (context) => new Carried(context),
}

class Carried implements OpenProjection {
  readonly #context: ProjectionContext
  readonly #calls: AnsweredCalls
  readonly #transcripts: TranscriptBlocks
  readonly #lines: CarryLines
  readonly #isKnown
  readonly #insertUnknown

  constructor(context: ProjectionContext) {
    const { prepare, tables: t } = context
    this.#context = context
    this.#calls = new AnsweredCalls(context, (call) => this.#take(call))
    this.#transcripts = new TranscriptBlocks(context)
    this.#lines = new CarryLines(context, (uuid) => context.requestBlocks.of(uuid) ?? this.#transcripts.again(uuid))
    this.#isKnown = prepare<[number], number>(
      `SELECT 1 FROM ${t.carry_calls} WHERE event_id = ? AND line_id IS NOT NULL`,
    ).pluck()
    this.#insertUnknown = prepare<[number, number, number, number | null, number, number, string]>(
      `INSERT OR REPLACE INTO ${t.carry_calls} (event_id, sent_at, input_tokens, input_usd, rest_tokens, rest_usd, reason)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  apply(event: AnyEvent): void {
    this.#transcripts.note(event)
    this.#calls.apply(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    this.#transcripts.noteSighting(event, [...before, sighting])
    this.#calls.applySighting(event, sighting, before)
  }

  flush(): void {
    this.#lines.flush()
  }

  discard(): void {
    this.#calls.discard()
    this.#transcripts.clear()
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
    const line = lineOf(facts, blocks)
    if (request === null && !call.unreported && tokens > 0) {
      const estimated = this.#transcripts.of(event)
      if (estimated !== null) {
        this.#lines.add({ event, line, request: event.uuid, sentAt, usage, usd, blocks: estimated, reason })
        return
      }
    }
    if (request === null || blocks === null || reason !== null) {
      const inputUsd = usd === null ? null : usd.input + usd.cache_read + usd.cache_write_5m + usd.cache_write_1h
      this.#insertUnknown.run(event.id, sentAt, tokens, inputUsd, tokens, inputUsd ?? 0, reason ?? 'not_captured')
      return
    }
    this.#lines.add({ event, line, request: request.uuid, sentAt, usage, usd, blocks, reason })
  }
}

function reasonOf({ request, unreported }: AnsweredCall, blocks: RequestBlocks | null, tokens: number): string | null {
  if (request === null) return 'not_captured'
  if (blocks === null) return 'body_gone'
  if (unreported || tokens === 0) return 'usage_unreported'
  const count = blockCount(blocks)
  return count === 0 || count > MAX_BLOCKS ? 'no_blocks' : null
}
