import { setTimeout as pause } from 'node:timers/promises'
import type { McpCaller } from '../../shared/contract/operation.ts'
import type { Dispatch } from '../dispatch.ts'

/** A tool may be called before the answer that calls it is committed, which takes the recorder up to a tenth of a second. */
const TRIES = 3
const PAUSE_MS = 60

/** Finds who made a tool call by its tool-use id; null where that was not recorded. */
export function createCallerLookup(dispatch: Pick<Dispatch, 'call'>): (callId: string) => Promise<McpCaller | null> {
  const decoder = new TextDecoder()
  return async (callId) => {
    for (let tried = 0; tried < TRIES; tried += 1) {
      if (tried > 0) await pause(PAUSE_MS)
      const bytes = await dispatch.call('recall.caller', { call_id: callId }, { access: 'read' })
      const { session_id: session, project } = JSON.parse(decoder.decode(bytes)) as {
        session_id: string | null
        project: string | null
      }
      if (session !== null) return { session, project }
    }
    return null
  }
}
