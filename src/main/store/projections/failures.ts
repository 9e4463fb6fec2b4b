import { isOwnError } from '../../../shared/failures.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'

/** Failures as people count them. Requests that a retry repeated count too; Aspy's own errors do not. */
export interface Failures {
  /** Requests that failed: an HTTP error, an `error` event in a stream, no connection, or the client's report of one. */
  readonly api_errors: number
  /** Tool results that report a failure, without calls that a person rejected or interrupted. */
  readonly failed_tools: number
}

const NONE: Failures = { api_errors: 0, failed_tools: 0 }
const API_ERROR: Failures = { api_errors: 1, failed_tools: 0 }
const FAILED_TOOL: Failures = { api_errors: 0, failed_tools: 1 }

/** Returns what an event counts as, with the additions of its sightings. */
export function failuresOf(event: AnyEvent, sightings: readonly Sighting[] = []): Failures {
  if (event.kind === 'error') return isOwnError(settled(event, sightings).payload.origin) ? NONE : API_ERROR
  if (event.kind !== 'tool_result') return NONE
  const { payload, success } = settled(event, sightings)
  if (payload.rejected) return NONE
  return payload.is_error || success === false ? FAILED_TOOL : NONE
}
