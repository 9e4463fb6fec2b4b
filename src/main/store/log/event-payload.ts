import type { AnyEvent } from '../../../shared/event.ts'
import { KeptJson } from './payload.ts'

/** An event's payload as the log stores it, and the contents it refers to by plain hashes. */
export interface PayloadToStore {
  readonly payload: object
  readonly named: readonly string[]
}

/**
 * Prepares an event's payload for the log. A request refers to the blocks of the messages it adds. The lists of its system
 * blocks and tools rarely change, so each list becomes one content: one reference instead of one per tool.
 */
export function payloadToStore(event: AnyEvent): PayloadToStore {
  if (event.kind !== 'model_request' || event.payload.request === null) return { payload: event.payload, named: [] }
  const { request } = event.payload
  return {
    payload: {
      ...event.payload,
      request: { ...request, system: asList(request.system), tools: asList(request.tools) },
    },
    named: request.add.flatMap((message) => message.blocks),
  }
}

function asList(hashes: readonly string[]): readonly string[] | KeptJson {
  return hashes.length === 0 ? hashes : new KeptJson(JSON.stringify(hashes), [...new Set(hashes)])
}
