import type { Delta, EventSummary } from '../../shared/event.ts'
import type { LiveBatch } from '../../shared/contract/live.ts'
import type { Redactor, StreamRedactor } from '../redaction/redactor.ts'

/** At most ten batches a second. */
const INTERVAL_MS = 100

/** A piece of a block as the decoder gives it: raw. */
export type RawDelta = Omit<Delta, 'session_id' | 'agent_id' | 'exchange_id'>
/** Whose text it is. */
type DeltaOrigin = Pick<Delta, 'session_id' | 'agent_id' | 'exchange_id'>

/** What the window sees as it happens: committed events, and text as it is written, redacted, a few times a second. */
export interface LiveFeed {
  deltas(origin: DeltaOrigin, pieces: readonly RawDelta[]): void
  events(summaries: readonly EventSummary[]): void
  /** The exchange is over: text that was held back is shown, and its blocks are forgotten. */
  close(exchangeId: string): void
  /** Sends at once what waits. */
  flush(): void
}

interface Block {
  readonly delta: Omit<Delta, 'text' | 'done'>
  readonly redactor: StreamRedactor
  text: string
  done: boolean
}

/** `send` gets a batch at most every 100 ms; the first after a pause comes at once. */
export function createLiveFeed(redactor: Redactor, send: (batch: LiveBatch) => void): LiveFeed {
  const blocks = new Map<string, Map<number, Block>>()
  const changed = new Set<Block>()
  let summaries: EventSummary[] = []
  let timer: NodeJS.Timeout | null = null
  let lastSent = -INTERVAL_MS

  function blockOf(origin: DeltaOrigin, piece: RawDelta): Block {
    const ofExchange = blocks.get(origin.exchange_id) ?? new Map<number, Block>()
    blocks.set(origin.exchange_id, ofExchange)
    const known = ofExchange.get(piece.index)
    if (known) return known
    const { text: _, done: __, ...rest } = piece
    const block: Block = { delta: { ...origin, ...rest }, redactor: redactor.stream(), text: '', done: false }
    ofExchange.set(piece.index, block)
    return block
  }

  function end(block: Block): void {
    if (block.done) return
    block.text += block.redactor.end()
    block.done = true
    changed.add(block)
  }

  function schedule(): void {
    timer ??= setTimeout(flush, Math.max(0, lastSent + INTERVAL_MS - performance.now()))
  }

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const deltas: Delta[] = []
    for (const block of changed) {
      if (block.text !== '' || block.done)
        deltas.push({ ...block.delta, text: block.text, ...(block.done && { done: true }) })
      block.text = ''
    }
    changed.clear()
    const events = summaries
    summaries = []
    if (deltas.length === 0 && events.length === 0) return
    lastSent = performance.now()
    send({ events, deltas })
  }

  return {
    deltas(origin, pieces) {
      for (const piece of pieces) {
        const block = blockOf(origin, piece)
        if (block.done) continue
        if (piece.text !== '') block.text += block.redactor.push(piece.text)
        changed.add(block)
        if (piece.done) end(block)
      }
      if (pieces.length > 0) schedule()
    },
    events(added) {
      if (added.length === 0) return
      summaries.push(...added)
      schedule()
    },
    close(exchangeId) {
      const ofExchange = blocks.get(exchangeId)
      if (!ofExchange) return
      for (const block of ofExchange.values()) end(block)
      blocks.delete(exchangeId)
      schedule()
    },
    flush,
  }
}
