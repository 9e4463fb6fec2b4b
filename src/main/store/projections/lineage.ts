import { Ancestry } from './ancestry.ts'
import { createAwaitedKeys } from './awaited-keys.ts'
import type { Projection } from './projection.ts'

/**
 * Parent, root and depth of each event, as far as its causes are known. A parent that arrives late moves the whole subtree.
 * Stored by event id; the view `lineage` shows uuids.
 */
export const lineage: Projection = {
  name: 'lineage',
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
