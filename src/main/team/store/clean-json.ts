import { AspyError } from '../../../shared/contract/errors.ts'

/** Deeper values are refused: they come from no client, and cost PostgreSQL its stack. */
const MAX_DEPTH = 100

/**
 * Returns a JSON value that PostgreSQL can store: without NUL characters and lone surrogates, which `jsonb` refuses.
 * Throws `bad_input` if it is nested too deeply.
 */
export function cleanJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new AspyError('bad_input', `a payload is nested more than ${MAX_DEPTH} levels deep`)
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth + 1)]))
}

/** Returns a text without NUL characters and lone surrogates. */
export const cleanText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
