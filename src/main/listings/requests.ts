import type { Filters } from './listing.ts'

/** Filters for the requests of a session. Only a laptop has them. */
export const REQUESTS: Filters<'requests.list'> = { session_id: 'e.session_id = ?' }
