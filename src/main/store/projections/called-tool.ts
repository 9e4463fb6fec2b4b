import type { AspyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { unpackPayload } from '../log/payload.ts'

/** Returns the name of the tool that a result came from: from the result, or else from its call; '' if neither is known. */
export type CalledTool = (result: AspyEvent<'tool_result'>) => string

/** Finds calls in the log that `prepare` reads. Keeps the last answer, since several projections look up the same result. */
export function createCalledTool(prepare: ReadableDb['prepare']): CalledTool {
  // `id < ?`: during a rebuild the log already contains later calls.
  const callOf = prepare<[string, number], { payload: string }>(
    'SELECT e.payload FROM key_rows k JOIN events e ON e.id = k.event_id WHERE k.key = ? AND k.event_id < ?',
  )
  const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)
  let last: { readonly result: unknown; readonly tool: string } | null = null

  return ({ id, payload }) => {
    if (payload.tool_name !== null) return payload.tool_name
    if (last?.result === payload) return last.tool
    const row = callOf.get(`call:${payload.call_id}`, id)
    const name = row === undefined ? undefined : unpackPayload(row.payload, fetch)['tool_name']
    last = { result: payload, tool: typeof name === 'string' ? name : '' }
    return last.tool
  }
}
