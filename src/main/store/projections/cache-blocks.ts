import type { AspyEvent, StoredRequest } from '../../../shared/event.ts'
import type { RequestShape, ShapeBlock, ShapeMessage } from '../../../shared/request-shape.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { resolveShape, type RequestBlocks } from '../../ledger/request-blocks.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { unpackPayload } from '../log/payload.ts'

type Payload = AspyEvent<'model_request'>['payload']

/** Requests whose blocks stay in memory: those that open conversations build on. */
const REQUESTS_KEPT = 100
/** A longer chain of requests that build on each other is damage. */
const LONGEST_CHAIN = 20_000

/** Finds the blocks of recorded requests. */
export interface CacheBlocks {
  /** Remembers a request that was just recorded. */
  note(event: AspyEvent<'model_request'>): void
  /** Returns the blocks of the request event with this uuid; null if they are no longer stored. */
  of(uuid: string): RequestBlocks | null
  clear(): void
}

/** Finds them in the log that `prepare` reads. */
export function loggedCacheBlocks(prepare: ReadableDb['prepare']): CacheBlocks {
  const select = prepare<[string], string>(
    "SELECT payload FROM events WHERE uuid = ? AND kind = 'model_request'",
  ).pluck()
  const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)
  return createCacheBlocks((uuid) => {
    const payload = select.get(uuid)
    return typeof payload === 'string' ? unpackPayload(payload, fetch) : null
  })
}

/** `payloadOf` returns the payload of the request event with a uuid. */
export function createCacheBlocks(payloadOf: (uuid: string) => object | null): CacheBlocks {
  const known = new RecentlyUsed<string, RequestBlocks>(REQUESTS_KEPT)
  const fresh = new RecentlyUsed<string, RequestShape>(REQUESTS_KEPT)

  function shapeOf(uuid: string): RequestShape | null {
    const noted = fresh.get(uuid)
    if (noted !== undefined) return noted
    const payload = payloadOf(uuid)
    // The recorder wrote the log, so the payload has the shape of its kind.
    return payload === null ? null : shapeOfPayload(payload as Payload)
  }

  return {
    note({ uuid, payload }) {
      const shape = shapeOfPayload(payload)
      if (shape !== null) fresh.set(uuid, shape)
    },
    of(uuid) {
      const chain: { readonly uuid: string; readonly shape: RequestShape }[] = []
      let base: RequestBlocks | null = null
      for (let next: string | null = uuid; next !== null && chain.length < LONGEST_CHAIN;) {
        base = known.get(next) ?? null
        if (base !== null) break
        const shape = shapeOf(next)
        if (shape === null) break
        chain.push({ uuid: next, shape })
        next = needsBase(shape) ? shape.base : null
      }
      for (const link of chain.reverse()) {
        base = resolveShape(link.shape, base)
        if (base === null) return null
        known.set(link.uuid, base)
      }
      return known.get(uuid) ?? null
    },
    clear() {
      known.clear()
      fresh.clear()
    },
  }
}

const needsBase = ({ keep, system, tools }: RequestShape) => keep > 0 || system === undefined || tools === undefined

/** The Responses API. */
const UNMARKED_API = /\/responses\b/

function shapeOfPayload({ shape, request, path }: Payload): RequestShape | null {
  const found = shape ?? (request ? shapeOfRequest(request) : null)
  return found === null || !UNMARKED_API.test(path) ? found : { ...found, unmarked: true }
}

/** The shape of a request that was recorded without one: only the hashes of its blocks are known. */
function shapeOfRequest({
  base,
  keep,
  add,
  system,
  tools,
  parameters,
  cache_control: marks,
}: StoredRequest): RequestShape {
  const block = (hash: string): ShapeBlock => ({ hash, kind: 'block', bytes: null, redacted: true })
  const speed = parameters['speed']
  return {
    base,
    keep,
    add: add.map((message): ShapeMessage => ({ ...message, blocks: message.blocks.map(block) })),
    system: system.map(block),
    tools: tools.map(block),
    marks: marks ?? {},
    betas: [],
    speed: typeof speed === 'string' ? speed : null,
    parameters: {},
    previous_message: null,
    asks_why: false,
    partial: true,
  }
}
