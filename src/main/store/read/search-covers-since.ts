import type { Reader } from './reader.ts'

/** Returns the last activity in the transcripts that are shown but not imported yet; null if there are none. */
export function searchCoversSince(reader: Reader): string | null {
  if (!reader.showsPreviews()) return null
  return reader.get<{ last: string | null }>('SELECT max(last_event_at) AS last FROM preview_files')?.last ?? null
}
