import { count } from '../table.ts'

/**
 * Returns the end of an import's summary: the number of events left out because their session was deleted; '' if none.
 */
export const deletedNote = (events: number): string =>
  events === 0 ? '' : `, ${count(events)} left out because their session was deleted`
