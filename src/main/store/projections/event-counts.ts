import { TABLES } from '../tables.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'

/** The number of events of each kind; collected during a transaction, written once. */
export const eventCounts: Projection = {
  name: 'event_counts',
  open({ prepare, tables: t }) {
    const sums = createSums<readonly [kind: string], 'events'>(prepare, [
      { table: t.event_counts, sums: TABLES.event_counts.sums, keyOf: (key) => key },
    ])
    return {
      change({ kind }, was, is) {
        if (was === null) sums.add([kind], { events: 1 }, 1)
        if (is === null) sums.add([kind], { events: 1 }, -1)
      },
      flush: sums.flush,
      discard: sums.discard,
    }
  },
}
