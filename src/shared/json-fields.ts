import type { Json, JsonObject } from './json.ts'

/** Returns an object's fields; of anything else, none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns a text that is not empty. */
export function filled(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
