import { firstCharacters } from '../../shared/cut-text.ts'
import type { Json } from '../../shared/event.ts'
import type { ShapeBlock } from '../../shared/request-shape.ts'
import { objectOf } from '../../shared/json-fields.ts'

/** A system part in which a client describes itself: it changes with each request, and the API does not cache it. */
const CLIENT_HEADER = /^x-[a-z-]+-header: /
const MAX_NAME_CHARACTERS = 200
const MAX_FILE_CHARACTERS = 500

/** Facts about a part from the client and the sent bytes. */
export interface PartFacts {
  /** A secret was removed. */
  readonly isRedacted: boolean
  /** The settings kept only a part of it. */
  readonly isCut: boolean
  readonly tokens: number
  readonly origin: string | null
  /** A file, or the name of a skill. */
  readonly name: string | null
  /** Of an item: the tool that it calls, the id of its call, and the hash of its content. */
  readonly item?: { readonly tool: string | null; readonly call: string | null; readonly content: string }
}

/** Describes a stored part of a request: a block, a system part or a tool. `text` is its redacted JSON. */
export function shapeBlock(hash: string, part: Json, text: string, facts: PartFacts): ShapeBlock {
  const { name, id, tool_use_id: answered, type } = objectOf(part)
  const tool = facts.item?.tool ?? name
  const call = facts.item?.call ?? (typeof type === 'string' && type.endsWith('tool_use') ? id : answered)
  const content = facts.item?.content ?? hash
  return {
    hash,
    kind: kindOf(part),
    bytes: Buffer.byteLength(text),
    tokens: facts.tokens,
    ...(typeof tool === 'string' ? { tool: firstCharacters(tool, MAX_NAME_CHARACTERS) } : {}),
    ...(typeof call === 'string' ? { call: firstCharacters(call, MAX_NAME_CHARACTERS) } : {}),
    ...(facts.origin === null ? {} : { origin: facts.origin }),
    ...(facts.name === null ? {} : { name: firstCharacters(facts.name, MAX_FILE_CHARACTERS) }),
    ...(holdsImage(part) ? { image: true as const } : {}),
    ...(content === hash ? {} : { content }),
    ...(facts.isRedacted ? { redacted: true as const } : {}),
    ...(facts.isCut ? { cut: true as const } : {}),
  }
}

function holdsImage(part: Json): boolean {
  const { content } = objectOf(part)
  return Array.isArray(content) && content.some((block: Json) => objectOf(block)['type'] === 'image')
}

function kindOf(part: Json): string {
  if (typeof part === 'string') return 'string'
  const { type, input_schema: schema, text } = objectOf(part)
  if (typeof text === 'string' && CLIENT_HEADER.test(text)) return 'client_header'
  if (schema !== undefined) return 'tool'
  return typeof type === 'string' ? type.slice(0, MAX_NAME_CHARACTERS) : 'unknown'
}
