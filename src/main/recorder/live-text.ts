import type { Delta } from '../../shared/live-feed.ts'
import type { Redactor, StreamRedactor } from '../redaction/redactor.ts'

/** A piece of a block as the decoder returns it, not yet redacted. */
export type RawDelta = Omit<Delta, 'session_id' | 'agent_id' | 'exchange_id'>
/** The session, agent and exchange that a text belongs to. */
export type DeltaOrigin = Pick<Delta, 'session_id' | 'agent_id' | 'exchange_id'>

/** Growth of a neighbour's beginning, in characters, before a waiting block is checked again. */
const MIN_GROWTH = 32

interface Block {
  readonly delta: Omit<Delta, 'text' | 'done'>
  readonly redactor: StreamRedactor
  /** Text since the last batch, redacted in one go. */
  raw: string
  /** Redacted text that is not in a batch yet. */
  text: string
  /** waiting: the block is complete, but the text that it holds back may continue in the next block of its kind. */
  state: 'open' | 'waiting' | 'done'
  /** Beginning of the blocks after it, collected while it waits. */
  next: string
  /** Length of `next` at which the block is checked again. */
  checkAt: number
}

/** The blocks of an exchange in the order they began. */
interface ExchangeBlocks {
  readonly byIndex: Map<number, Block>
  newest: Block | null
}

/**
 * Redacts text while the model writes it. The end of a block is held back while a secret may continue in the next block of
 * its kind.
 */
export class LiveText {
  readonly #redactor: Redactor
  readonly #exchanges = new Map<string, ExchangeBlocks>()
  readonly #changed = new Set<Block>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  add(origin: DeltaOrigin, pieces: readonly RawDelta[]): void {
    for (const piece of pieces) {
      const block = this.#blockOf(origin, piece)
      if (block.state === 'open') this.#append(block, piece)
    }
  }

  /** Releases all text that is held back for an exchange and forgets its blocks. Returns false if it has none. */
  close(exchangeId: string): boolean {
    const exchange = this.#exchanges.get(exchangeId)
    if (!exchange) return false
    for (const block of exchange.byIndex.values()) this.#end(block)
    this.#exchanges.delete(exchangeId)
    return true
  }

  /** Takes the text that may be shown since the last call. */
  take(): Delta[] {
    const deltas: Delta[] = []
    // Redacting one block can release a waiting block before it, which then joins the set although it has nothing left
    // to redact.
    for (const block of this.#changed) this.#redact(block)
    for (const block of this.#changed) {
      if (block.text !== '' || block.state === 'done')
        deltas.push({ ...block.delta, text: block.text, ...(block.state === 'done' && { done: true }) })
      block.text = ''
    }
    this.#changed.clear()
    return deltas
  }

  #blockOf(origin: DeltaOrigin, piece: RawDelta): Block {
    const exchange = this.#exchanges.get(origin.exchange_id) ?? { byIndex: new Map<number, Block>(), newest: null }
    this.#exchanges.set(origin.exchange_id, exchange)
    const known = exchange.byIndex.get(piece.index)
    if (known) return known
    const { text: _, done: __, ...rest } = piece
    const { newest } = exchange
    const isNeighbour = newest?.delta.block === piece.block && piece.block !== 'tool_input'
    if (newest) this.#redact(newest)
    if (!isNeighbour) for (const block of exchange.byIndex.values()) if (block.state === 'waiting') this.#end(block)
    const block: Block = {
      delta: { ...origin, ...rest },
      redactor: this.#redactor.stream(isNeighbour ? newest.redactor.held() : undefined),
      raw: '',
      text: '',
      state: 'open',
      next: '',
      checkAt: 0,
    }
    exchange.byIndex.set(piece.index, block)
    exchange.newest = block
    return block
  }

  #append(block: Block, piece: RawDelta): void {
    block.raw += piece.text
    this.#changed.add(block)
    if (!piece.done) return
    this.#redact(block)
    if (block.delta.block === 'tool_input') return this.#end(block)
    block.state = 'waiting'
    this.#continue(block, '')
  }

  /** Redacts the new text of a block and passes it to the blocks before it that wait. */
  #redact(block: Block): void {
    const { raw } = block
    if (raw === '') return
    block.raw = ''
    for (const earlier of this.#exchanges.get(block.delta.exchange_id)?.byIndex.values() ?? [])
      if (earlier.state === 'waiting') this.#continue(earlier, raw)
    block.text += block.redactor.push(raw)
  }

  /** Extends the beginning of a waiting block's neighbour. Checks ever more rarely, so that the work stays linear. */
  #continue(block: Block, text: string): void {
    block.next += text
    if (block.next.length < block.checkAt) return
    const rest = block.redactor.endBefore(block.next, false)
    if (rest === null) block.checkAt = block.next.length + Math.max(MIN_GROWTH, block.next.length >> 1)
    else this.#finish(block, rest)
  }

  #end(block: Block): void {
    this.#redact(block)
    if (block.state !== 'done') this.#finish(block, block.redactor.endBefore(block.next, true) ?? '')
  }

  #finish(block: Block, rest: string): void {
    block.text += rest
    block.next = ''
    block.state = 'done'
    this.#changed.add(block)
  }
}
