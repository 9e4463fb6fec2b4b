import { counted } from './counted.ts'

/** Failures of a session, a turn or a time range, counted separately. */
export interface FailureCounts {
  readonly api_errors: number
  readonly failed_tools: number
}

/** Formats failures for people, such as `2 API errors · 19 failed tools`; empty if there are none. */
export function formatFailures({ api_errors: api, failed_tools: tools }: FailureCounts): string {
  const parts = [...(api > 0 ? [counted(api, 'API error')] : []), ...(tools > 0 ? [counted(tools, 'failed tool')] : [])]
  return parts.join(' · ')
}

/** How the answer to a request begins that the guard refused. Clients repeat it in their own words. */
export const GUARD_STOPPED = "Aspy's guard stopped this request"

/** Returns whether an error's text says that the guard stopped a request: a decision, and no failure. */
export const isGuardStop = (text: string): boolean => text.includes(GUARD_STOPPED)

/** Returns where an error comes from: the guard if its message says so, whoever reports it. */
export const failureOrigin = <Origin extends string>(message: string, origin: Origin): Origin | 'guard' =>
  isGuardStop(message) ? 'guard' : origin

/** Returns whether an error is Aspy's own, or a program's that posted it, and no failure of the API. */
export const isOwnError = (origin: unknown): boolean =>
  origin === 'capture' || origin === 'guard' || origin === 'posted'
