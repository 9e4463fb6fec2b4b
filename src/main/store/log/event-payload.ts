import type { AnyEvent } from '../../../shared/event.ts'
import { KeptJson } from './payload.ts'

/**
 * Prepares an event's payload for the log. A request refers to the blocks of the messages it adds. The lists of its system
 * blocks and tools rarely change, so each list becomes one content: one reference instead of one per tool.
 */
export function payloadToStore(event: AnyEvent) {
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

const asList = (hashes: readonly string[]): readonly string[] | KeptJson =>
  hashes.length === 0 ? hashes : new KeptJson(JSON.stringify(hashes), [...new Set(hashes)])
