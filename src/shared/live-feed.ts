import type { EventKind, EventSource } from './event.ts'

/** What the live feed carries: an event cut to at most 2 KB, after its commit. */
export interface EventSummary {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly seq: number
  readonly agent_id: string | null
  readonly parent_uuid: string | null
  readonly kind: EventKind
  readonly source: EventSource
  readonly ts_wall: string
  readonly duration_ms: number | null
  readonly success: boolean | null
  readonly project: string | null
  /** One line for a person: the prompt, the thought, the call with its main argument, … */
  readonly text: string
  readonly tool_name?: string
  readonly call_id?: string
  /** Of a request and its response: the exchange that its deltas name, too. */
  readonly exchange_id?: string
  /** Of a block and its response: the message, and the block's place in it. */
  readonly message_id?: string
  readonly index?: number
  readonly model?: string
  readonly tokens?: number
  readonly cost_usd?: number | null
  readonly truncated?: true
}

/** Text as it is written: coalesced to ten a second a block, redacted with a hold-back, never stored. */
export interface Delta {
  readonly session_id: string
  readonly agent_id: string | null
  /** The exchange and the block in it that the text belongs to. */
  readonly exchange_id: string
  readonly index: number
  /** The message that the block belongs to, where it is known: its event names it, too. */
  readonly message_id?: string
  readonly block: 'thinking' | 'text' | 'tool_input'
  readonly tool_name?: string
  readonly text: string
  /** The block is whole; its event follows. */
  readonly done?: true
}
