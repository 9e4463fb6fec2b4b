import type { Delta, EventSummary } from '../../shared/live-feed.ts'
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
  /** Came since the last batch, as it came: redacted in one go. */
  raw: string
  text: string
  /** waiting: whole, but what it holds back may go on in the next block of its kind. */
  state: 'open' | 'waiting' | 'done'
  /** How the blocks after it begin, while it waits, and how much of it there is when it is looked at again. */
  next: string
  lookAt: number
}

/** The blocks of an exchange in the order in which they began. */
interface ExchangeBlocks {
  readonly byIndex: Map<number, Block>
  newest: Block | null
}

/** `send` gets a batch at most every 100 ms; the first after a pause comes at once. */
export function createLiveFeed(redactor: Redactor, send: (batch: LiveBatch) => void): LiveFeed {
  const exchanges = new Map<string, ExchangeBlocks>()
  const changed = new Set<Block>()
  let summaries: EventSummary[] = []
  let timer: NodeJS.Timeout | null = null
  let lastSent = -INTERVAL_MS

  function blockOf(origin: DeltaOrigin, piece: RawDelta): Block {
    const ofExchange = exchanges.get(origin.exchange_id) ?? { byIndex: new Map<number, Block>(), newest: null }
    exchanges.set(origin.exchange_id, ofExchange)
    const known = ofExchange.byIndex.get(piece.index)
    if (known) return known
    const { text: _, done: __, ...rest } = piece
    const { newest } = ofExchange
    const isNeighbour = newest?.delta.block === piece.block && piece.block !== 'tool_input'
    if (newest) settle(newest)
    if (!isNeighbour) endAll(ofExchange)
    const block: Block = {
      delta: { ...origin, ...rest },
      redactor: redactor.stream(isNeighbour ? newest.redactor.held() : undefined),
      raw: '',
      text: '',
      state: 'open',
      next: '',
      lookAt: 0,
    }
    ofExchange.byIndex.set(piece.index, block)
    ofExchange.newest = block
    return block
  }

  function take(block: Block, piece: RawDelta): void {
    block.raw += piece.text
    changed.add(block)
    if (!piece.done) return
    settle(block)
    if (block.delta.block === 'tool_input') return end(block)
    block.state = 'waiting'
    goOn(block, '')
  }

  /** What came of a block is redacted, and told to those before it that wait. */
  function settle(block: Block): void {
    const { raw } = block
    if (raw === '') return
    block.raw = ''
    for (const earlier of exchanges.get(block.delta.exchange_id)?.byIndex.values() ?? [])
      if (earlier.state === 'waiting') goOn(earlier, raw)
    block.text += block.redactor.push(raw)
  }

  /** A block that waits hears how its neighbour begins; looked at ever more seldom, so that the work stays linear. */
  function goOn(block: Block, text: string): void {
    block.next += text
    if (block.next.length < block.lookAt) return
    const rest = block.redactor.endBefore(block.next, false)
    if (rest === null) block.lookAt = block.next.length + Math.max(32, block.next.length >> 1)
    else finish(block, rest)
  }

  function finish(block: Block, rest: string): void {
    block.text += rest
    block.next = ''
    block.state = 'done'
    changed.add(block)
  }

  function end(block: Block): void {
    settle(block)
    if (block.state !== 'done') finish(block, block.redactor.endBefore(block.next, true) ?? '')
  }

  function endAll({ byIndex }: ExchangeBlocks): void {
    for (const block of byIndex.values()) if (block.state === 'waiting') end(block)
  }

  function schedule(): void {
    timer ??= setTimeout(flush, Math.max(0, lastSent + INTERVAL_MS - performance.now()))
  }

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const deltas: Delta[] = []
    // A block that waited for this one joins the changed ones meanwhile; it has nothing left to settle.
    for (const block of changed) settle(block)
    for (const block of changed) {
      if (block.text !== '' || block.state === 'done')
        deltas.push({ ...block.delta, text: block.text, ...(block.state === 'done' && { done: true }) })
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
        if (block.state === 'open') take(block, piece)
      }
      if (pieces.length > 0) schedule()
    },
    events(added) {
      if (added.length === 0) return
      summaries.push(...added)
      schedule()
    },
    close(exchangeId) {
      const ofExchange = exchanges.get(exchangeId)
      if (!ofExchange) return
      for (const block of ofExchange.byIndex.values()) end(block)
      exchanges.delete(exchangeId)
      schedule()
    },
    flush,
  }
}
