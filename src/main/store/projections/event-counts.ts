import type { Projection } from './projection.ts'

/** The number of events of each kind; collected during a transaction, written once. */
export const eventCounts: Projection = {
  name: 'event_counts',
  define: (t) => [
    `CREATE TABLE ${t.event_counts} (
  kind   TEXT    PRIMARY KEY,
  events INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID`,
  ],
  open({ prepare, tables: t }) {
    const upsert = prepare<[string, number]>(
      `INSERT INTO ${t.event_counts} (kind, events) VALUES (?, ?)
       ON CONFLICT (kind) DO UPDATE SET events = events + excluded.events`,
    )
    const gathered = new Map<string, number>()
    return {
      apply({ kind }) {
        gathered.set(kind, (gathered.get(kind) ?? 0) + 1)
      },
      flush() {
        for (const [kind, events] of gathered) upsert.run(kind, events)
        gathered.clear()
      },
      discard: () => gathered.clear(),
    }
  },
}
