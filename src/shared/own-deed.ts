import type { AnyEvent } from './event.ts'
import type { EventSummary } from './live-feed.ts'

/** Names what Aspy itself did: as a change of state in the record, and as a call among those that touched a file. */
export const FILE_RESTORED = 'aspy:file_restored'

/** True for what Aspy itself did, long after the session perhaps: it does not go on thereby. */
export const isOwnDeed = (event: AnyEvent): boolean =>
  event.kind === 'state_change' && event.payload.name === FILE_RESTORED

/** True for the summary of such an event, whose line begins with its name. */
export const isOwnDeedSummary = ({ kind, text }: EventSummary): boolean =>
  kind === 'state_change' && text.startsWith(`${FILE_RESTORED}:`)
