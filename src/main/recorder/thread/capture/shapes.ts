import { createHash } from 'node:crypto'
import type { Json, JsonObject, StoredMessage } from '../../../../shared/event.ts'
import type { RequestShape, ShapeBlock } from '../../../../shared/request-shape.ts'
import { contextOrigin } from '../../../decode/client/context-origin.ts'
import { calledFile } from '../../../decode/client/file-tools.ts'
import { estimateTokens } from '../../../requests/estimate-tokens.ts'
import { shapeBlock, type PartFacts } from '../../../requests/shape-block.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'

/** Lists of a request that rarely change. */
export interface ShapedParts {
  readonly system: readonly string[]
  readonly tools: readonly string[]
}

/** A request as stored, by hashes, redacted. */
interface Whole extends ShapedParts {
  readonly messages: readonly StoredMessage[]
  readonly parameters: JsonObject
  readonly marks: { readonly [pointer: string]: Json }
}

interface Base {
  readonly uuid: string
  readonly parts: ShapedParts | null
  readonly keep: number
}

/** Builds shapes of requests from what was noted of their blocks. */
export interface Shapes {
  /**
   * Stores a redacted part, notes what it is, and returns its hash. `raw` is the part before redaction, without media;
   * `sent` has the media.
   */
  keep(part: Json, raw: Json, sent: Json, putContent: (text: string) => string): string
  /** Notes a system prompt that is a plain string, as redacted and as sent, and returns its hash. Requests store it as it is. */
  plainSystem(redacted: string, sent: string, hash: (text: string) => string): string
  of(request: Whole, base: Base | null): RequestShape
}

/** Parameters that are part of the cache key beside model, tools, system and messages. */
const CACHED_PARAMETERS = ['tool_choice', 'thinking', 'output_config', 'output_format', 'context_management'] as const
/** A longer parameter is stored as a hash of its redacted JSON. */
const MAX_PARAMETER_CHARACTERS = 500

export function createShapes(maxBlocks: number): Shapes {
  const blocks = new RecentlyUsed<string, ShapeBlock>(maxBlocks)
  const blockOf = (hash: string): ShapeBlock =>
    blocks.get(hash) ?? { hash, kind: 'unknown', bytes: null, redacted: true }
  return {
    keep(part, raw, sent, putContent) {
      const text = JSON.stringify(part)
      const hash = putContent(text)
      blocks.set(hash, shapeBlock(hash, part, text, factsOf(part, part !== raw && text !== JSON.stringify(raw), sent)))
      return hash
    },
    plainSystem(redacted, sent, hashText) {
      const text = JSON.stringify(redacted)
      const hash = hashText(text)
      blocks.set(hash, shapeBlock(hash, redacted, text, factsOf(redacted, redacted !== sent, sent)))
      return hash
    },
    of({ messages, system, tools, parameters, marks }, base) {
      return {
        base: base?.uuid ?? null,
        keep: base?.keep ?? 0,
        add: messages.slice(base?.keep ?? 0).map((message) => ({ ...message, blocks: message.blocks.map(blockOf) })),
        ...(isSame(base?.parts?.system, system) ? {} : { system: system.map(blockOf) }),
        ...(isSame(base?.parts?.tools, tools) ? {} : { tools: tools.map(blockOf) }),
        marks: parameters['cache_control'] === undefined ? marks : { ...marks, '': parameters['cache_control'] },
        betas: [],
        speed: typeof parameters['speed'] === 'string' ? parameters['speed'] : null,
        parameters: Object.fromEntries(
          CACHED_PARAMETERS.flatMap((name) =>
            parameters[name] === undefined ? [] : [[name, shortened(parameters[name])]],
          ),
        ),
        previous_message: previousMessage(parameters),
        asks_why: parameters['diagnostics'] !== undefined,
      }
    },
  }
}

/** Names come from the redacted part, so that they hold no secret; tokens from what was sent. */
function factsOf(part: Json, isRedacted: boolean, sent: Json): PartFacts {
  const found = contextOrigin(part)
  const name = found?.name ?? (isObject(part) ? calledFile(part['input']) : null)
  return { isRedacted, tokens: estimateTokens(sent), origin: found?.origin ?? null, name }
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isSame(known: readonly string[] | undefined, hashes: readonly string[]): boolean {
  return known !== undefined && known.length === hashes.length && known.every((hash, at) => hash === hashes[at])
}

function shortened(value: Json): Json {
  const text = JSON.stringify(value)
  return text.length <= MAX_PARAMETER_CHARACTERS ? value : createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function previousMessage(parameters: JsonObject): string | null {
  for (const name of ['diagnostics', 'thread']) {
    const field = parameters[name]
    if (typeof field !== 'object' || field === null || Array.isArray(field)) continue
    const id = (field as JsonObject)['previous_message_id']
    if (typeof id === 'string') return id
  }
  return null
}
