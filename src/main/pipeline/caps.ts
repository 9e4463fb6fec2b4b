import type { Config } from '../../shared/config.ts'
import type { Json, JsonObject } from '../../shared/event.ts'
import type { AnyDraft } from '../decode/draft.ts'

/** The sizes and switches of `[lifestats]` that decide how much of a text is kept. They come before log, contents and spool. */
export type Caps = Pick<
  Config['lifestats'],
  'store_thinking' | 'store_tool_io' | 'max_thinking_size' | 'max_prompt_size'
>

/** The draft with no more text than the settings allow; what was cut is said in its place. */
export function cappedDraft(draft: AnyDraft, caps: Caps): AnyDraft {
  switch (draft.kind) {
    case 'thinking':
      return { ...draft, payload: { ...draft.payload, text: cappedThinking(draft.payload.text, caps) } }
    case 'user_prompt':
      return { ...draft, payload: { ...draft.payload, text: truncated(draft.payload.text, caps.max_prompt_size) } }
    case 'tool_call':
      return caps.store_tool_io
        ? draft
        : { ...draft, payload: { ...draft.payload, input: notKept(draft.payload.input) } }
    case 'tool_result': {
      if (caps.store_tool_io) return draft
      const { detail: _, ...payload } = draft.payload
      const { sighting: __, ...rest } = draft
      return { ...rest, payload: { ...payload, output: notKept(payload.output) } }
    }
    default:
      return draft
  }
}

/** The same for a content block of a request. */
export function cappedBlock(block: Json, caps: Caps): Json {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return block
  const object = block as JsonObject
  switch (object['type']) {
    case 'thinking':
      return typeof object['thinking'] === 'string'
        ? { ...object, thinking: cappedThinking(object['thinking'], caps) }
        : block
    case 'text':
      return typeof object['text'] === 'string'
        ? { ...object, text: truncated(object['text'], caps.max_prompt_size) }
        : block
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return caps.store_tool_io ? block : { ...object, input: notKept(object['input'] ?? null) }
    case 'tool_result':
    case 'web_search_tool_result':
    case 'mcp_tool_result':
      return caps.store_tool_io ? block : { ...object, content: notKept(object['content'] ?? null) }
    default:
      return block
  }
}

function cappedThinking(text: string, caps: Caps): string {
  if (text === '') return text
  return caps.store_thinking ? truncated(text, caps.max_thinking_size) : notKept(text)
}

const notKept = (value: Json) =>
  `[not kept, ${Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))} bytes]`

/** The text cut to so many bytes at a character, followed by how long it was; the text itself where it fits. */
export function truncated(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  // A byte 10xxxxxx goes on with the character before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return `${bytes.toString('utf8', 0, end)}... [truncated, ${bytes.length} bytes total]`
}
