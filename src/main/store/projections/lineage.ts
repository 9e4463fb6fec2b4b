import { Ancestry } from './ancestry.ts'
import { createAwaitedKeys } from './awaited-keys.ts'
import type { Projection } from './projection.ts'

/**
 * Parent, root and depth of each event, as far as its causes are known. A parent that arrives late moves the whole subtree.
 * Stored by event id; the view `lineage` shows uuids.
 */
export const lineage: Projection = {
  name: 'lineage',
  define: (t, own) => [
    `CREATE TABLE ${t.ancestry} (
  event_id       INTEGER PRIMARY KEY,
  parent_id      INTEGER,
  root_id        INTEGER NOT NULL,
  depth          INTEGER NOT NULL,
  cut            INTEGER NOT NULL DEFAULT 0, -- 1: its parent would close a cycle and is left out
  missing_parent TEXT                        -- uuid of a named parent that is not in the log
) STRICT`,
    `CREATE INDEX ${own('ancestry_by_parent')} ON ${t.ancestry} (parent_id) WHERE parent_id IS NOT NULL`,
    `CREATE INDEX ${own('ancestry_missing')} ON ${t.ancestry} (missing_parent) WHERE missing_parent IS NOT NULL`,
    `CREATE INDEX ${own('ancestry_cut')} ON ${t.ancestry} (event_id) WHERE cut = 1`,
  ],
  open({ prepare, tables: t }) {
    const ancestry = new Ancestry(prepare, t.ancestry)
    const awaitedKeys = createAwaitedKeys(prepare)
    return {
      apply(event, links) {
        ancestry.add(event, links !== undefined)
        if (links === undefined) {
          awaitedKeys.noteEvent(event.uuid)
          ancestry.relinkWaiting(event.id)
          return
        }
        awaitedKeys.add(links.awaited)
        for (const key of links.keys)
          if (awaitedKeys.has(key)) for (const uuid of awaitedKeys.of(key)) ancestry.relink(uuid)
      },
      applyLinks(uuid) {
        awaitedKeys.noteEvent(uuid)
        ancestry.relink(uuid)
        const id = ancestry.idOf(uuid)
        if (id !== undefined) ancestry.relinkWaiting(id)
      },
      discard: () => ancestry.discard(),
    }
  },
}
