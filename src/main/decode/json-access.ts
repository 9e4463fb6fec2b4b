import type { Json, JsonObject } from '../../shared/event.ts'

/** Looking into JSON that others wrote: nothing is taken for granted, nothing throws. */

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as an object; an empty one where it is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A string that says something: null for '' too. */
export function filledString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** The parsed text; undefined where it is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The value without lone surrogates, which UTF-8 cannot carry: each becomes U+FFFD. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item)) as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)])) as T
}
