import { setTimeout as pause } from 'node:timers/promises'
import type { McpCaller } from '../../shared/contract/mcp-tools.ts'
import { callOperation } from './call-operation.ts'
import type { Dispatch } from './dispatch.ts'

/** A tool can be called before the answer that calls it is committed, which takes up to 100 ms. */
const TRIES = 3
const PAUSE_MS = 60

/** Finds the caller of a tool by the tool-use id; null if the call is not recorded. */
export function createCallerLookup(dispatch: Pick<Dispatch, 'call'>): (callId: string) => Promise<McpCaller | null> {
  return async (callId) => {
    for (let tried = 0; tried < TRIES; tried += 1) {
      if (tried > 0) await pause(PAUSE_MS)
      const { session_id: session, project } = await callOperation(
        dispatch,
        'recall.caller',
        { call_id: callId },
        { access: 'read' },
      )
      if (session !== null) return { session, project }
    }
    return null
  }
}
