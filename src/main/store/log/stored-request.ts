import type { AnyEvent } from '../../../shared/event.ts'
import { KeptJson } from './payload.ts'

/** An event's payload as it goes to the log, and the contents that it names as plain values. */
export interface StoredPayload {
  readonly payload: object
  readonly named: readonly string[]
}

/**
 * What a request refers to: the blocks of the messages it adds. The lists of its system blocks and tools, which hardly ever
 * change, become contents of their own, so that a request counts one reference to a list and not one to each tool.
 */
export function storedPayload(event: AnyEvent): StoredPayload {
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
