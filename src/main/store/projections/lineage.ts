import { LINE_KEY, sqlEventOfKey } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { createAwaitedKeys } from './awaited-keys.ts'
import type { Projection } from './projection.ts'

const NODES_REMEMBERED = 2000

interface Node {
  readonly parent_id: number | null
  /** The uuid of a parent that the log does not hold. */
  readonly missing_parent: string | null
  readonly root_id: number
  readonly depth: number
}

interface Parent {
  readonly id: number | null
  readonly missing: string | null
}

/** An event as it came. */
interface Arrival {
  readonly id: number
  readonly uuid: string
  readonly kind: string
  readonly parent_uuid: string | null
}

/**
 * Who caused what, as far as it is known by now: parent, root and depth of each event. A parent that comes late moves the
 * whole subtree. Where parents form a cycle, the edge of its oldest event is left out (`cut`): the result is the same
 * in whatever order they became known. Kept by the ids of events; the view `lineage` names their uuids.
 */
export const lineage: Projection = {
  name: 'lineage',
  tables: ['ancestry'],
  open({ prepare }) {
    const selectNode = prepare<[number], Node>(
      'SELECT parent_id, missing_parent, root_id, depth FROM ancestry WHERE event_id = ?',
    )
    const insert = prepare<[number, number | null, string | null, number, number]>(
      'INSERT INTO ancestry (event_id, parent_id, missing_parent, root_id, depth) VALUES (?, ?, ?, ?, ?)',
    )
    const setParent = prepare<[number | null, string | null, number, number]>(
      'UPDATE ancestry SET parent_id = ?, missing_parent = ?, cut = ? WHERE event_id = ?',
    )
    const moveSubtree = prepare<[number, number, number]>(
      `UPDATE ancestry SET root_id = ?, depth = depth + ? WHERE event_id IN (
         WITH RECURSIVE below (id) AS (
           SELECT ?
           UNION ALL
           SELECT a.event_id FROM below JOIN ancestry a ON a.parent_id = below.id
         )
         SELECT id FROM below
       )`,
    )
    const awaits = prepare<[string], number>('SELECT 1 FROM parent_keys WHERE uuid = ? LIMIT 1').pluck()
    const firstAwaited = prepare<[string, number], number>(
      `SELECT id FROM (SELECT p.position, p.key, ${sqlEventOfKey('p.key')} AS id FROM parent_keys p WHERE p.uuid = ?)
       WHERE id <> ? ORDER BY position, key LIMIT 1`,
    ).pluck()
    // Few events wait for a better parent.
    const awaited = (uuid: string, id: number) =>
      awaits.get(uuid) === undefined ? undefined : firstAwaited.get(uuid, id)
    const onArrival = prepare<[number], Arrival>('SELECT id, uuid, kind, parent_uuid FROM events WHERE id = ?')
    const idOf = prepare<[string], number>('SELECT id FROM events WHERE uuid = ?').pluck()
    const waiting = prepare<[number, number], string>(
      `SELECT p.uuid FROM key_rows k CROSS JOIN parent_keys p ON p.key = k.key WHERE k.event_id = ?
       UNION ALL
       SELECT p.uuid FROM events e CROSS JOIN parent_keys p ON p.key = '${LINE_KEY}' || e.uuid WHERE e.id = ? AND e.is_line = 1`,
    ).pluck()
    const children = prepare<[number, string], number>(
      `SELECT event_id FROM ancestry WHERE parent_id = ?
       UNION SELECT event_id FROM ancestry WHERE missing_parent = ? ORDER BY 1`,
    ).pluck()
    const missing = prepare<[string], number>(
      'SELECT event_id FROM ancestry WHERE missing_parent = ? ORDER BY event_id',
    ).pluck()
    const someMissing = prepare<[], number>("SELECT 1 FROM ancestry WHERE missing_parent > '' LIMIT 1").pluck()
    const cutNodes = prepare<[], number>('SELECT event_id FROM ancestry WHERE cut = 1').pluck()
    const above = prepare<[number], number>(
      `WITH RECURSIVE chain (id, parent) AS (
         SELECT event_id, parent_id FROM ancestry WHERE event_id = ?
         UNION ALL
         SELECT a.event_id, a.parent_id FROM chain JOIN ancestry a ON a.event_id = chain.parent
       )
       SELECT id FROM chain`,
    ).pluck()

    /** Nodes as they were inserted last, by uuid: most events hang from one of them. Anything that moves empties it. */
    const recent = new RecentlyUsed<string, Pick<Node, 'root_id' | 'depth'> & { readonly id: number }>(NODES_REMEMBERED)
    const awaitedKeys = createAwaitedKeys(prepare)
    /** Whether any event names a parent that is not in the log; null: not looked up. */
    let isAnyMissing: boolean | null = null
    const hang = (id: number, parent: Parent, cut: number) => {
      if (parent.missing !== null) isAnyMissing = true
      setParent.run(parent.id, parent.missing, cut, id)
      recent.clear()
    }
    const move = (id: number, depth: number, root: number) => {
      moveSubtree.run(root, depth - (selectNode.get(id)?.depth ?? depth), id)
      recent.clear()
    }
    const find = (uuid: string): Parent => {
      const id = recent.get(uuid)?.id ?? idOf.get(uuid)
      return id === undefined ? { id: null, missing: uuid } : { id, missing: null }
    }

    /** The best parent that the log knows of; of those that an event waits for when it is new, it knows none. */
    const wantedParent = ({ id, uuid, kind, parent_uuid }: Arrival, isNew = false): Parent => {
      if (kind === 'user_prompt') return NOBODY
      const better = isNew ? undefined : awaited(uuid, id)
      if (better !== undefined) return { id: better, missing: null }
      return parent_uuid === null ? NOBODY : find(parent_uuid)
    }

    /** Makes a node the root of its own subtree. */
    const detach = (id: number, cut: number) => {
      const known = selectNode.get(id)
      hang(id, NOBODY, cut)
      if (known && isNamed({ id: known.parent_id, missing: known.missing_parent })) move(id, 0, id)
    }

    /** Hangs a root under its parent; where that closes a cycle, the oldest of the cycle becomes the root instead. */
    const attach = (id: number, parent: Parent) => {
      const root = parent.id === null ? undefined : selectNode.get(parent.id)?.root_id
      if (parent.id !== null && root === id) {
        const oldest = above.all(parent.id).reduce((a, b) => Math.min(a, b))
        detach(oldest, 1)
        if (oldest === id) return
      }
      hang(id, parent, 0)
      const known = parent.id === null ? undefined : selectNode.get(parent.id)
      if (known) move(id, known.depth + 1, known.root_id)
    }

    const relink = (uuid: string) => {
      const id = idOf.get(uuid)
      const row = id === undefined ? undefined : onArrival.get(id)
      const known = id === undefined ? undefined : selectNode.get(id)
      if (id === undefined || !row || !known) return
      const wanted = wantedParent(row)
      if (wanted.id === known.parent_id && wanted.missing === known.missing_parent) return
      detach(id, 0)
      // The edge that went may have been part of a cycle: what was cut for it is tried again.
      for (const other of cutNodes.all()) {
        const cut = onArrival.get(other)
        const parent = cut ? wantedParent(cut) : NOBODY
        if (isNamed(parent)) attach(other, parent)
      }
      if (isNamed(wanted)) attach(id, wanted)
    }

    /** Those that named an event before it came, in this run or an earlier one; a rebuild meets them by its id. */
    const childrenOf = (id: number, uuid: string, isNew: boolean): readonly number[] => {
      if (!isNew) return children.all(id, uuid)
      isAnyMissing ??= someMissing.get() !== undefined
      return isAnyMissing ? missing.all(uuid) : []
    }

    return {
      apply(event, links) {
        const { id, uuid, parent_uuid } = event
        const parent = wantedParent(event, links !== undefined)
        const near = parent.id === null ? undefined : recent.get(parent_uuid ?? '')
        const known = near?.id === parent.id ? near : parent.id === null ? undefined : selectNode.get(parent.id)
        const root_id = known?.root_id ?? id
        const depth = known ? known.depth + 1 : 0
        if (parent.missing !== null) isAnyMissing = true
        insert.run(id, parent.id, parent.missing, root_id, depth)
        recent.set(uuid, { id, root_id, depth })
        for (const child of childrenOf(id, uuid, links !== undefined)) {
          hang(child, NOBODY, 0)
          attach(child, { id, missing: null })
        }
        if (links === undefined) {
          awaitedKeys.noteEvent(uuid)
          for (const child of waiting.all(id, id)) relink(child)
          return
        }
        awaitedKeys.add(links.awaited)
        for (const key of links.keys) if (awaitedKeys.has(key)) awaitedKeys.of(key).forEach(relink)
      },
      applyLinks(uuid) {
        awaitedKeys.noteEvent(uuid)
        relink(uuid)
        const id = idOf.get(uuid)
        if (id !== undefined) for (const child of waiting.all(id, id)) relink(child)
      },
      discard() {
        recent.clear()
        isAnyMissing = null
      },
    }
  },
}

const NOBODY: Parent = { id: null, missing: null }

const isNamed = ({ id, missing }: Parent): boolean => id !== null || missing !== null
