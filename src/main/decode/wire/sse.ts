import { createParser } from 'eventsource-parser'
import type { Json } from '../../../shared/event.ts'
import { parseJson } from '../json-access.ts'

/** One event of a stream: its data parsed, or as text if it is not JSON. */
export type StreamEvent =
  | { readonly type: 'event'; readonly name: string | null; readonly data: Json }
  | { readonly type: 'broken'; readonly text: string }

/** Parses a stream's bytes, cut anywhere, into events. */
export interface StreamDecoder {
  push(bytes: Uint8Array): StreamEvent[]
  /** Returns the event of an end without its blank line. */
  end(): StreamEvent[]
}

/** Characters of one event. Beyond it the rest of the stream is not decoded: nothing says where the next event begins. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Parses server-sent events as the Messages API writes them; a bad line becomes `broken` and affects nothing else. */
export function createStreamDecoder(): StreamDecoder {
  const text = new TextDecoder()
  let events: StreamEvent[] = []
  let isOver = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ event, data }) => {
      const parsed = parseJson(data)
      events.push(
        parsed === undefined ? { type: 'broken', text: data } : { type: 'event', name: event ?? null, data: parsed },
      )
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        isOver = true
        events.push({ type: 'broken', text: `an event of more than ${MAX_EVENT_CHARS} characters` })
        return
      }
      const line = error.line ?? error.value ?? ''
      if (line.trim() !== '') events.push({ type: 'broken', text: line })
    },
  })
  const taken = () => {
    const list = events
    events = []
    return list
  }
  return {
    push(bytes) {
      if (!isOver) parser.feed(text.decode(bytes, { stream: true }))
      return taken()
    },
    end() {
      // Two line ends close any line and event that are still open.
      if (!isOver) parser.feed(`${text.decode()}\n\n`)
      return taken()
    },
  }
}
