import type { Json, JsonObject } from '../../shared/event.ts'
import type { ShapeBlock } from '../../shared/request-shape.ts'

/** A system part in which a client describes itself: it changes with each request, and the API does not cache it. */
const CLIENT_HEADER = /^x-[a-z-]+-header: /
const MAX_NAME_CHARACTERS = 200

/** Describes a stored part of a request: a block, a system part or a tool. `text` is its redacted JSON. */
export function shapeBlock(hash: string, part: Json, text: string, isRedacted: boolean): ShapeBlock {
  const tool = toolOf(part)
  return {
    hash,
    kind: kindOf(part),
    bytes: Buffer.byteLength(text),
    ...(tool === null ? {} : { tool: tool.slice(0, MAX_NAME_CHARACTERS).toWellFormed() }),
    ...(isRedacted ? { redacted: true as const } : {}),
  }
}

function kindOf(part: Json): string {
  if (typeof part === 'string') return 'string'
  const { type, input_schema: schema, text } = objectOf(part)
  if (typeof text === 'string' && CLIENT_HEADER.test(text)) return 'client_header'
  if (schema !== undefined) return 'tool'
  return typeof type === 'string' ? type.slice(0, MAX_NAME_CHARACTERS) : 'unknown'
}

function toolOf(part: Json): string | null {
  const { name } = objectOf(part)
  return typeof name === 'string' ? name : null
}

function objectOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
