/** Failures of a session, a turn or a time range, counted separately. */
export interface FailureCounts {
  readonly api_errors: number
  readonly failed_tools: number
}

/** Formats failures for people, such as `2 API · 19 tools`; empty if there are none. */
export function formatFailures({ api_errors: api, failed_tools: tools }: FailureCounts): string {
  const parts = [
    ...(api > 0 ? [`${api.toLocaleString('en-US')} API`] : []),
    ...(tools > 0 ? [`${tools.toLocaleString('en-US')} ${tools === 1 ? 'tool' : 'tools'}`] : []),
  ]
  return parts.join(' · ')
}
