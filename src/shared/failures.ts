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
