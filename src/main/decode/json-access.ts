import type { Json } from '../../shared/event.ts'
import { isObject } from '../../shared/json-fields.ts'
import { hasTooManyValues, MAX_JSON_VALUES } from './json-values.ts'

/** True if a text is valid JSON, however deep. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Parses JSON and limits its depth to what later steps can walk; undefined if the text is invalid or has too many values
 * for memory.
 */
export function parseJson(text: string): Json | undefined {
  if (text.length > MAX_JSON_VALUES && hasTooManyValues(Buffer.from(text))) return undefined
  try {
    const value = JSON.parse(text) as Json
    // Each level has two brackets.
    return text.length < 2 * MAX_DEPTH ? value : limitDepth(value)
  } catch {
    return undefined
  }
}

/** Parses JSON like `parseJson`; a lone surrogate in it, which only an escape can write, becomes U+FFFD. */
export function parseWellFormed(text: string): Json | undefined {
  const value = parseJson(text)
  const mayBeAlone = value !== undefined && text.includes('\\u') && /\\ud[89a-f]/i.test(text)
  return mayBeAlone ? wellFormed(value) : value
}

/** Returns a line without a byte order mark and without its end (LF or CRLF). */
export function bareLine(line: string): string {
  const from = line.startsWith('\uFEFF') ? 1 : 0
  const end = line.endsWith('\n') ? line.length - 1 : line.length
  return line.slice(from, end > from && line[end - 1] === '\r' ? end - 1 : end)
}

const MAX_DEPTH = 400
/** Replaces a value that was nested too deep: hostile input, since no client or model writes it. */
const TOO_DEEP = `[nested deeper than ${MAX_DEPTH} levels]`

/** Returns the value itself, or a copy in which values nested too deep are replaced by a note. */
export const limitDepth = <T extends Json>(value: T): T =>
  isDeeper(value, MAX_DEPTH) ? (cutBelow(value, MAX_DEPTH) as T) : value

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // A fast path: most values are texts and numbers, and every line passes here.
  for (const item of Object.values(value))
    if (typeof item === 'object' && isDeeper(item as Json, levels - 1)) return true
  return false
}

function cutBelow(value: Json, levels: number): Json {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return TOO_DEEP
  if (Array.isArray(value)) return value.map((item: Json) => cutBelow(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutBelow(item, levels - 1)]))
}

/** Returns the value with each lone surrogate, which UTF-8 cannot encode, replaced by U+FFFD. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item)) as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)])) as T
}
