import type { AspyEvent } from './event.ts'

/** A committed event as the live feed carries it, cut to at most 2 KB. */
export interface EventSummary extends Omit<
  AspyEvent,
  'ts_monotonic' | 'error_message' | 'request_id' | 'user_id' | 'schema_version' | 'payload'
> {
  /** The prompt, the call with its main argument, … in one line; thinking and answers keep their line breaks. */
  readonly text: string
  readonly tool_name?: string
  readonly call_id?: string
  /** Exchange of a request or response, which its deltas name too. */
  readonly exchange_id?: string
  /** Message of a block or response, and the index of the block in it. */
  readonly message_id?: string
  readonly index?: number
  readonly model?: string
  /** True for the result of a call that a person or the settings refused. */
  readonly is_refused?: true
  /** True for a request of a client that exits after its turn. */
  readonly is_print?: true
  /** Type of a notification, in the client's words; of the guard's action, its name. */
  readonly level?: string
  /** True if it counts as an API error, or as a failed tool call. */
  readonly failure?: 'api' | 'tool'
  readonly tokens?: number
  readonly cost_usd?: number | null
  readonly truncated?: true
}

/** A stored prompt that a later source corrects: a transcript knows who wrote it, and the words as typed. */
export interface Correction {
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  /** False if the client itself wrote the text that was taken for a prompt. */
  readonly is_prompt: boolean
  /** The first line of the words as typed. */
  readonly text: string
}

/** Text as it is written: at most ten deltas a second per block, redacted with a hold-back, never stored. */
export interface Delta {
  readonly session_id: string
  readonly agent_id: string | null
  /** Exchange and block that the text belongs to. */
  readonly exchange_id: string
  readonly index: number
  /** Message of the block, if known. The event of the block names it too. */
  readonly message_id?: string
  readonly block: 'thinking' | 'text' | 'tool_input'
  readonly tool_name?: string
  readonly text: string
  /** The block is complete; its event follows. */
  readonly done?: true
}
