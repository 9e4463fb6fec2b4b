import type { Json, JsonObject } from './json.ts'

/** Access to untrusted JSON: no assumptions, no exceptions. */

/** Parses JSON; null if it is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, or else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is a list, or else an empty list. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns a non-empty string, or else null. */
export function filledString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
