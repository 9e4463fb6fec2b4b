import { RecentlyUsed } from '../recently-used.ts'
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
    const firstAwaited = prepare<[string], string>(
      `SELECT k.uuid FROM parent_keys p JOIN event_keys k ON k.key = p.key
       WHERE p.uuid = ? AND k.uuid <> p.uuid ORDER BY p.position LIMIT 1`,
    ).pluck()
    // Few events wait for a better parent, and to find that out is a fifth of the work.
    const awaited = (uuid: string) => (awaits.get(uuid) === undefined ? undefined : firstAwaited.get(uuid))
    const onArrival = prepare<[number], { uuid: string; kind: string; parent_uuid: string | null }>(
      'SELECT uuid, kind, parent_uuid FROM events WHERE id = ?',
    )
    const idOf = prepare<[string], number>('SELECT id FROM events WHERE uuid = ?').pluck()
    const waiting = prepare<[string], string>(
      'SELECT p.uuid FROM event_keys k JOIN parent_keys p ON p.key = k.key WHERE k.uuid = ?',
    ).pluck()
    const waitingForKey = prepare<[string], string>('SELECT uuid FROM parent_keys WHERE key = ?').pluck()
    // To find an event's keys costs more than all else that is done for it: whoever knows them gives them.
    const waitingFor = (uuid: string, keys: readonly string[] | undefined) =>
      keys === undefined ? waiting.all(uuid) : keys.flatMap((key) => waitingForKey.all(key))
    const children = prepare<[number, string], number>(
      `SELECT event_id FROM ancestry WHERE parent_id = ?
       UNION SELECT event_id FROM ancestry WHERE missing_parent = ? ORDER BY 1`,
    ).pluck()
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
    const hang = (id: number, parent: Parent, cut: number) => {
      setParent.run(parent.id, parent.missing, cut, id)
      recent.clear()
    }
    const move = (id: number, depth: number, root: number) => {
      moveSubtree.run(root, depth - (selectNode.get(id)?.depth ?? depth), id)
      recent.clear()
    }
    const find = (uuid: string): Parent => {
      const id = idOf.get(uuid)
      return id === undefined ? { id: null, missing: uuid } : { id, missing: null }
    }

    /** The best parent that the log knows of. */
    const wantedParent = (id: number): Parent => {
      const row = onArrival.get(id)
      if (!row || row.kind === 'user_prompt') return NOBODY
      const parent = awaited(row.uuid) ?? row.parent_uuid
      return parent === null ? NOBODY : find(parent)
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
      const known = id === undefined ? undefined : selectNode.get(id)
      if (id === undefined || !known) return
      const wanted = wantedParent(id)
      if (wanted.id === known.parent_id && wanted.missing === known.missing_parent) return
      detach(id, 0)
      // The edge that went may have been part of a cycle: what was cut for it is tried again.
      for (const other of cutNodes.all()) {
        const parent = wantedParent(other)
        if (isNamed(parent)) attach(other, parent)
      }
      if (isNamed(wanted)) attach(id, wanted)
    }

    return {
      apply({ id, uuid, kind, parent_uuid }, keys) {
        const named = kind === 'user_prompt' ? null : (awaited(uuid) ?? parent_uuid)
        const near = named === null ? undefined : recent.get(named)
        const parent = named === null ? NOBODY : near ? { id: near.id, missing: null } : find(named)
        const known = near ?? (parent.id === null ? undefined : selectNode.get(parent.id))
        const root_id = known?.root_id ?? id
        const depth = known ? known.depth + 1 : 0
        insert.run(id, parent.id, parent.missing, root_id, depth)
        recent.set(uuid, { id, root_id, depth })
        // Those that named it before it came, in this run or an earlier one; a rebuild meets them by its id.
        for (const child of children.all(id, uuid)) {
          hang(child, NOBODY, 0)
          attach(child, { id, missing: null })
        }
        for (const child of waitingFor(uuid, keys)) relink(child)
      },
      applyLinks(uuid) {
        relink(uuid)
        for (const child of waiting.all(uuid)) relink(child)
      },
      discard() {
        recent.clear()
      },
    }
  },
}

const NOBODY: Parent = { id: null, missing: null }

const isNamed = ({ id, missing }: Parent): boolean => id !== null || missing !== null
