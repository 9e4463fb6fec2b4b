import { nullIf } from './error-text.ts'
import type { Json, JsonObject } from './json.ts'

/** Access to untrusted JSON: no assumptions, no exceptions. */

/** Parses JSON; null if it is none. */
export const jsonOrNull = (text: string): unknown => nullIf(SyntaxError, () => JSON.parse(text) as unknown)

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, or else an empty object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Returns the value if it is a list, or else an empty list. */
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

export const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns a non-empty string, or else null. */
export const filledString = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
