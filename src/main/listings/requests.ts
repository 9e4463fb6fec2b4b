import type { Filters } from './listing.ts'

/** What narrows the requests of a session. Only a laptop has them. */
export const REQUESTS: Filters<'requests.list'> = { session_id: 'e.session_id = ?' }
