import { createParser } from 'eventsource-parser'
import type { Json, JsonObject } from '../../../shared/event.ts'
import { filledString, isObject } from '../../../shared/json-fields.ts'
import { parseJson } from '../json-access.ts'
import { wholeRecords } from '../whole-records.ts'

/** One event of a stream: its data parsed, or as text if it is not JSON. */
export type StreamEvent =
  | { readonly type: 'event'; readonly name: string | null; readonly data: Json }
  | { readonly type: 'broken'; readonly text: string }

/** The beginning of a stream, whatever its content type says: a gateway may name the wrong one. */
export const IS_STREAM = /^\uFEFF?\s*(?:event|data|id|retry)?:/i
/** The beginning of a line as relays may write it: in upper case, or behind blanks or the mark of a file's beginning. */
const FIELD = /([\r\n])[\uFEFF \t]*(event|data|id|retry|)(?=:)/gi
/** A line's beginning that may be a field when its rest is there. */
const CUT_FIELD = /[\r\n]([\uFEFF \ta-z]{1,16})$/i
/** The field's name before data that a relay took over with it. */
const DOUBLED = /^(?:[ \t]*data:)+(?=\s*[[{])/gim
/** The end mark of APIs of OpenAI's family, which relays write behind any stream. */
const IS_DONE = /^\s*(?:data:\s*)*\[DONE\]\s*$/i

/** Returns the type of an event, by its data or else its name: `error` if a relay's error has neither. */
export const eventType = (name: string | null, data: JsonObject): string | null =>
  filledString(data['type']) ?? name ?? (isError(data) ? 'error' : null)

/** `{"error": …}`, or a code with words, as gateways write it. */
const isError = ({ error = null, success, code = null, msg, message }: JsonObject): boolean =>
  error !== null || success === false || (code !== null && filledString(msg ?? message) !== null)

/** True for an event that only keeps a connection open. */
export const isKeepAlive = (type: string | null): boolean =>
  /^(?:ping|keep[-_]?alive|heart[-_]?beat)$/i.test(type ?? '')

/** Parses a stream's bytes, cut anywhere, into events. */
export interface StreamDecoder {
  push(bytes: Uint8Array): StreamEvent[]
  /** Returns the last event of a stream that ends without a blank line. */
  end(): StreamEvent[]
  /** The reason if the rest of the stream is not decoded; null if it is decoded. */
  readonly tooLarge: string | null
}

/**
 * Characters of one event. Beyond it the rest of the stream is not decoded: the start of the next event is not known.
 */
const MAX_EVENT_CHARS = 16 * 1024 * 1024
/** Events that are not JSON. A stream with more is not the API's, and each costs an exception. */
const MAX_BROKEN = 1000

/** Parses server-sent events as the Messages API writes them; a bad line becomes `broken` and affects nothing else. */
export function createStreamDecoder(): StreamDecoder {
  const text = new TextDecoder()
  let events: StreamEvent[] = []
  let tooLarge: string | null = null
  let broken = 0
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ event, data }) => {
      if (tooLarge !== null || data.trim() === '' || IS_DONE.test(data)) return
      const parsed = valuesOf(data, event)
      if (parsed === null && ++broken > MAX_BROKEN) tooLarge = `more than ${MAX_BROKEN} events that are not JSON`
      if (parsed === null) events.push({ type: 'broken', text: data })
      else if (parsed.length > 1) events.push(...parsed.map((value) => eventOf(null, value)))
      else events.push(eventOf(event ?? null, parsed[0] ?? null))
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        tooLarge ??= `an event of more than ${MAX_EVENT_CHARS} characters`
        return
      }
      const line = error.line ?? error.value ?? ''
      if (line.trim() !== '') events.push({ type: 'broken', text: line })
    },
  })
  let isLineStart = true
  let cut = ''
  const feed = (piece: string) => {
    const lines = `${isLineStart ? '\n' : ' '}${cut}${piece}`
    cut = CUT_FIELD.exec(lines)?.[1] ?? ''
    isLineStart = cut !== '' || /[\r\n]$/.test(lines)
    const whole = lines.slice(0, lines.length - cut.length)
    parser.feed(whole.replaceAll(FIELD, (_, end: string, name: string) => end + name.toLowerCase()).slice(1))
  }
  const taken = () => {
    const list = events
    events = []
    return list
  }
  return {
    get tooLarge() {
      return tooLarge
    },
    push(bytes) {
      if (tooLarge === null) feed(text.decode(bytes, { stream: true }))
      return taken()
    },
    end() {
      // Two line ends close any line and event that are still open.
      if (tooLarge === null) feed(`${text.decode()}\n\n`)
      return taken()
    },
  }
}

/** Returns an event. Bedrock writes its data as base64 in `bytes`, which relays pass on. */
export function eventOf(name: string | null, data: Json): StreamEvent {
  const chunk = isObject(data) ? (isObject(data['chunk']) ? data['chunk'] : data) : {}
  const bytes = filledString(chunk['type']) === null ? filledString(chunk['bytes']) : null
  const inside = bytes === null ? undefined : parseJson(Buffer.from(bytes, 'base64').toString())
  return inside === undefined ? { type: 'event', name, data } : { type: 'event', name: null, data: inside }
}

/** Returns the data of an event, or of several if nothing or no blank line is between them; null if it is not JSON. */
function valuesOf(text: string, name: string | undefined): readonly Json[] | null {
  const data = text.replaceAll(DOUBLED, '')
  const whole = parseJson(data)
  if (whole !== undefined) return Array.isArray(whole) && whole.every(isObject) ? whole : [whole]
  if (name === 'error') return [{ type: name, error: { message: data } }]
  const lines = data.split('\n').map(parseJson)
  if (lines.length > 1 && lines.every((line) => line !== undefined)) return lines
  const { records, rest } = wholeRecords(data, ({ type }) => typeof type === 'string')
  return rest === '' && records.length > 1 ? records.map((record) => parseJson(record) ?? null) : null
}
