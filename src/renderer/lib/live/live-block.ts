import { firstCharacters } from '../../../shared/cut-text.ts'
import type { Delta, EventSummary } from '../../../shared/live-feed.ts'

/** A content block that is being written. */
export interface LiveBlock {
  readonly key: string
  readonly exchange_id: string
  /** Message id and index, as in the block's event; null if the message id is unknown. */
  readonly written_as: string | null
  readonly session_id: string
  readonly agent_id: string | null
  readonly block: Delta['block']
  readonly tool_name: string | null
  /** The beginning of the text, at most 400 characters. */
  readonly head: string
  /** The end of the text, at most 8,000 characters. */
  readonly text: string
  /** The text is complete; the block disappears when its event arrives. */
  readonly done: boolean
  readonly touched_at: number
}

const MAX_BLOCK_CHARACTERS = 8000
const MAX_HEAD = 400

/** Returns the blocks with one more piece of text. */
export function withDelta(blocks: readonly LiveBlock[], key: string, delta: Delta, now: number): readonly LiveBlock[] {
  const known = blocks.find((block) => block.key === key)
  const next: LiveBlock = {
    key,
    exchange_id: delta.exchange_id,
    written_as: delta.message_id === undefined ? null : `${delta.message_id}:${delta.index}`,
    session_id: delta.session_id,
    agent_id: delta.agent_id,
    block: delta.block,
    tool_name: delta.tool_name ?? known?.tool_name ?? null,
    head:
      known !== undefined && known.head.length >= MAX_HEAD
        ? known.head
        : firstCharacters((known?.head ?? '') + delta.text, MAX_HEAD),
    text: ((known?.text ?? '') + delta.text).slice(-MAX_BLOCK_CHARACTERS),
    done: delta.done === true,
    touched_at: now,
  }
  return known ? blocks.map((block) => (block.key === key ? next : block)) : [...blocks, next]
}

/**
 * Returns the blocks that remain after an event: its own block is removed, and a response ends all blocks of its
 * exchange.
 */
export function withoutWritten(blocks: readonly LiveBlock[], event: EventSummary): readonly LiveBlock[] {
  if (blocks.length === 0) return blocks
  if (event.kind === 'model_response') return blocks.filter((block) => block.exchange_id !== event.exchange_id)
  if (event.message_id === undefined || event.index === undefined) return blocks
  const written = `${event.message_id}:${event.index}`
  return blocks.some((block) => block.written_as === written)
    ? blocks.filter((block) => block.written_as !== written)
    : blocks
}
