import { createHash } from 'node:crypto'
import type { Json, JsonObject, StoredMessage } from '../../../../shared/event.ts'
import type { RequestShape, ShapeBlock, ShapeMessage } from '../../../../shared/request-shape.ts'
import { contextOrigin } from '../../../decode/client/context-origin.ts'
import { calledFile } from '../../../decode/client/file-tools.ts'
import { estimateTokens } from '../../../requests/estimate-tokens.ts'
import { itemFacts, type ItemFacts } from '../../../decode/wire/item-facts.ts'
import { messageParts } from '../../../requests/request-codec.ts'
import { shapeBlock, type PartFacts } from '../../../requests/shape-block.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import { isObject } from '../../../../shared/json-fields.ts'

/** Lists of a request that rarely change. */
export interface ShapedParts {
  readonly system: readonly string[]
  readonly tools: readonly string[]
}

/** A redacted request as stored, by hashes. */
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

/** Stores the text of a part, or as much as the settings keep of it, under the hash of the stored text. */
interface PartStore {
  readonly putContent: (text: string) => string
  readonly hash: (text: string) => string
}

interface KeptPart {
  readonly part: Json
  readonly raw: Json
  readonly sent: Json
  readonly isItem: boolean
}

/** Builds shapes of requests from the notes on their blocks. */
export interface Shapes {
  /**
   * Stores a redacted part, notes its kind, and returns its hash. `raw` is the part before redaction, without media;
   * `sent` has the media. `isItem`: it is an item of the Responses API.
   */
  keep(kept: KeptPart, store: PartStore): string
  /**
   * Notes a system prompt that is a plain string, as redacted and as sent, and returns its hash. Requests store it
   * unchanged.
   */
  plainSystem(redacted: string, sent: string, hash: (text: string) => string): string
  of(request: Whole, base: Base | null): RequestShape
}

/** Parameters that are part of the cache key besides model, tools, system and messages. */
const CACHED_PARAMETERS: ReadonlySet<string> = new Set(
  'tool_choice thinking output_config output_format context_management text prompt_cache_key'.split(' '),
)
/** Parameters that never affect the cache, or that the shape stores under its own names. */
const UNCACHED_PARAMETERS: ReadonlySet<string> = new Set([
  ...'model system instructions tools messages input cache_control speed max_tokens'.split(' '),
  ...'max_output_tokens stream prompt_cache_retention diagnostics thread store include client_metadata'.split(' '),
  // Fields of a WebSocket message other than the body. The input of the response that it continues is prepended to its
  // own.
  ...'type generate previous_response_id'.split(' '),
])
/** A longer parameter is stored as a hash of its redacted JSON. */
const MAX_PARAMETER_CHARACTERS = 500

export function createShapes(maxBlocks: number): Shapes {
  const blocks = new RecentlyUsed<string, ShapeBlock>(maxBlocks)
  /** Definitions that the API keeps out of the prompt until a search finds them. */
  const deferred = new RecentlyUsed<string, true>(maxBlocks)
  const blockOf = (hash: string): ShapeBlock =>
    blocks.get(hash) ?? { hash, kind: 'unknown', bytes: null, redacted: true }
  return {
    keep({ part, raw, sent, isItem }, store) {
      const text = JSON.stringify(part)
      const hash = store.putContent(text)
      const isRedacted = part !== raw && text !== JSON.stringify(raw)
      const isCut = hash !== store.hash(text) && !isSigned(part)
      const item = isItem && isObject(part) ? itemFacts(part) : null
      const facts = { ...factsOf(part, sent), isRedacted, isCut }
      blocks.set(hash, shapeBlock(hash, part, text, item === null ? facts : withItem(facts, item, store.hash)))
      if (isObject(part) && part['defer_loading'] === true) deferred.set(hash, true)
      return hash
    },
    plainSystem(redacted, sent, hashText) {
      const text = JSON.stringify(redacted)
      const hash = hashText(text)
      blocks.set(
        hash,
        shapeBlock(hash, redacted, text, { ...factsOf(redacted, sent), isRedacted: redacted !== sent, isCut: false }),
      )
      return hash
    },
    of({ messages, system, tools, parameters, marks }, base) {
      const [keyed, others] = keyParameters(parameters)
      const isShown = (hash: string) => deferred.get(hash) === undefined
      const own = parameters['cache_control']
      // Marks on tools are counted among those in the prompt.
      const placed = Object.entries(own === undefined ? marks : { ...marks, '': own }).map(([pointer, value]) => [
        pointer.replace(/(?<=^\/tools\/)\d+/, (at) => String(tools.slice(0, Number(at)).filter(isShown).length)),
        value,
      ])
      return {
        base: base?.uuid ?? null,
        keep: base?.keep ?? 0,
        add: messages.slice(base?.keep ?? 0).map((message) => shapeMessage(message, blockOf)),
        ...(isSame(base?.parts?.system, system) ? {} : { system: system.map(blockOf) }),
        ...(isSame(base?.parts?.tools, tools) ? {} : { tools: tools.filter(isShown).map(blockOf) }),
        marks: Object.fromEntries(placed),
        betas: [],
        speed: typeof parameters['speed'] === 'string' ? parameters['speed'] : null,
        parameters: keyed,
        ...(Object.keys(others).length > 0 ? { other_parameters: others } : {}),
        previous_message: previousMessage(parameters),
        asks_why: parameters['diagnostics'] !== undefined,
      }
    },
  }
}

/** Names come from the redacted part, so that they hold no secret; tokens come from the sent part. */
function factsOf(part: Json, sent: Json): Pick<PartFacts, 'tokens' | 'origin' | 'name'> {
  const found = contextOrigin(part)
  const name = found?.name ?? (isObject(part) ? calledFile(part['input']) : null)
  return { tokens: estimateTokens(sent), origin: found?.origin ?? null, name }
}

function withItem(facts: PartFacts, { tool, call, name, content }: ItemFacts, hash: PartStore['hash']): PartFacts {
  return { ...facts, name: facts.name ?? name, item: { tool, call, content: hash(JSON.stringify(content)) } }
}

/** The signature of a thinking block is kept, and changes with its text. */
const isSigned = (part: Json): boolean =>
  isObject(part) && part['type'] === 'thinking' && typeof part['signature'] === 'string' && part['signature'] !== ''

/** Describes a stored message by the known facts about its parts. */
function shapeMessage(message: StoredMessage, blockOf: (hash: string) => ShapeBlock): ShapeMessage {
  const { content, frame } = messageParts(message)
  return {
    role: message.role,
    blocks: content.map(blockOf),
    ...(message.plain ? { plain: true } : {}),
    ...(frame === null ? {} : { frame: blockOf(frame) }),
  }
}

/** Returns the parameters that are part of the cache key, and hashes of those that might be. */
function keyParameters(parameters: JsonObject): readonly [keyed: JsonObject, others: JsonObject] {
  const keyed: Record<string, Json> = {}
  const others: Record<string, Json> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (CACHED_PARAMETERS.has(name)) keyed[name] = shortened(value)
    else if (!UNCACHED_PARAMETERS.has(name)) others[name] = hashOf(JSON.stringify(value)).slice(0, 16)
  }
  return [keyed, others]
}

function isSame(known: readonly string[] | undefined, hashes: readonly string[]): boolean {
  return known !== undefined && known.length === hashes.length && known.every((hash, at) => hash === hashes[at])
}

function shortened(value: Json): Json {
  const text = JSON.stringify(value)
  return text.length <= MAX_PARAMETER_CHARACTERS ? value : hashOf(text).slice(0, 32)
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function previousMessage(parameters: JsonObject): string | null {
  for (const name of ['diagnostics', 'thread']) {
    const field = parameters[name]
    if (typeof field !== 'object' || field === null || Array.isArray(field)) continue
    const id = (field as JsonObject)['previous_message_id']
    if (typeof id === 'string') return id
  }
  return null
}
