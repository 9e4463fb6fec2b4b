import { filledString, isObject, objectOf } from '../../../shared/json-fields.ts'
import { parseJson } from '../json-access.ts'
import { eventOf, type StreamDecoder, type StreamEvent } from './sse.ts'

/** The content type of streams in Amazon's frames, in which Bedrock sends the events of the Messages API. */
export const FRAMES_TYPE = 'application/vnd.amazon.eventstream'

/** A frame: its length, the length of its headers and their checksum; headers; payload; checksum. */
const PRELUDE = 12
const CHECKSUM = 4
/** Amazon sends no longer ones. */
const MAX_FRAME = 24 * 1024 * 1024
/** A header's value that is a text. */
const TEXT = 7

/** Parses Amazon's event stream frames, cut anywhere, into events. */
export function createFrameDecoder(): StreamDecoder {
  let rest: Buffer = Buffer.alloc(0)
  let tooLarge: string | null = null
  return {
    get tooLarge() {
      return tooLarge
    },
    push(bytes) {
      if (tooLarge !== null) return []
      rest = Buffer.concat([rest, bytes])
      const events: StreamEvent[] = []
      while (rest.length >= PRELUDE) {
        const length = rest.readUInt32BE(0)
        const behindHeaders = PRELUDE + rest.readUInt32BE(4)
        if (length > MAX_FRAME || length < behindHeaders + CHECKSUM) {
          tooLarge = 'a frame of an event stream whose length cannot be right'
          rest = Buffer.alloc(0)
          return [...events, { type: 'broken', text: tooLarge }]
        }
        if (rest.length < length) break
        const headers = textHeaders(rest.subarray(PRELUDE, behindHeaders))
        events.push(frameEvent(headers, rest.toString('utf8', behindHeaders, length - CHECKSUM)))
        rest = rest.subarray(length)
      }
      return events
    },
    end: () => (rest.length === 0 ? [] : [{ type: 'broken', text: `a frame of an event stream was cut` }]),
  }
}

function frameEvent(headers: ReadonlyMap<string, string>, payload: string): StreamEvent {
  const data = parseJson(payload)
  if (data === undefined) return { type: 'broken', text: payload }
  const failure = headers.get(':exception-type') ?? headers.get(':error-code')
  if (failure === undefined) return eventOf(null, data)
  const message = filledString(objectOf(isObject(data) ? data : {})['message']) ?? payload
  return { type: 'event', name: 'error', data: { type: 'error', error: { type: failure, message } } }
}

/** Returns the headers of a frame up to one that is not a text: those that count come first. */
function textHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const name = bytes.toString('utf8', at + 1, at + 1 + (bytes[at] ?? 0))
    at += 1 + (bytes[at] ?? 0)
    if (bytes[at] !== TEXT || at + 3 > bytes.length) break
    const length = bytes.readUInt16BE(at + 1)
    headers.set(name, bytes.toString('utf8', at + 3, at + 3 + length))
    at += 3 + length
  }
  return headers
}
