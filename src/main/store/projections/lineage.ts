import { RecentlyUsed } from '../recently-used.ts'
import type { Projection } from './projection.ts'

const NODES_REMEMBERED = 2000

interface Node {
  readonly parent_uuid: string | null
  readonly root_uuid: string
  readonly depth: number
  readonly cut: number
}

/**
 * Who caused what, as far as it is known by now: parent, root and depth of each event. A parent that comes late moves the
 * whole subtree. Where parents form a cycle, the edge of its oldest event is left out (`cut`): the result is the same
 * in whatever order they became known.
 */
export const lineage: Projection = {
  name: 'lineage',
  tables: ['lineage'],
  open({ prepare }) {
    const selectNode = prepare<[string], Node>('SELECT parent_uuid, root_uuid, depth, cut FROM lineage WHERE uuid = ?')
    const insert = prepare<[string, string | null, string, number]>(
      'INSERT INTO lineage (uuid, parent_uuid, root_uuid, depth) VALUES (?, ?, ?, ?)',
    )
    const setParent = prepare<[string | null, number, string]>(
      'UPDATE lineage SET parent_uuid = ?, cut = ? WHERE uuid = ?',
    )
    const moveSubtree = prepare<[string, number, string]>(
      `UPDATE lineage SET root_uuid = ?, depth = depth + ? WHERE uuid IN (
         WITH RECURSIVE below (uuid) AS (
           SELECT ?
           UNION ALL
           SELECT l.uuid FROM below JOIN lineage l ON l.parent_uuid = below.uuid
         )
         SELECT uuid FROM below
       )`,
    )
    const awaits = prepare<[string], number>('SELECT 1 FROM parent_keys WHERE uuid = ? LIMIT 1').pluck()
    const firstAwaited = prepare<[string], string>(
      `SELECT k.uuid FROM parent_keys p JOIN event_keys k ON k.key = p.key
       WHERE p.uuid = ? AND k.uuid <> p.uuid ORDER BY p.position LIMIT 1`,
    ).pluck()
    // Few events wait for a better parent, and to find that out is a fifth of the work.
    const awaited = (uuid: string) => (awaits.get(uuid) === undefined ? undefined : firstAwaited.get(uuid))
    const onArrival = prepare<[string], { kind: string; parent_uuid: string | null }>(
      'SELECT kind, parent_uuid FROM events WHERE uuid = ?',
    )
    const waiting = prepare<[string], string>(
      'SELECT p.uuid FROM event_keys k JOIN parent_keys p ON p.key = k.key WHERE k.uuid = ?',
    ).pluck()
    const waitingForKey = prepare<[string], string>('SELECT uuid FROM parent_keys WHERE key = ?').pluck()
    // To find an event's keys costs more than all else that is done for it: whoever knows them gives them.
    const waitingFor = (uuid: string, keys: readonly string[] | undefined) =>
      keys === undefined ? waiting.all(uuid) : keys.flatMap((key) => waitingForKey.all(key))
    const children = prepare<[string], string>('SELECT uuid FROM lineage WHERE parent_uuid = ?').pluck()
    const cutNodes = prepare<[], string>('SELECT uuid FROM lineage WHERE cut = 1').pluck()
    const above = prepare<[string], { uuid: string; id: number }>(
      `WITH RECURSIVE chain (uuid, parent) AS (
         SELECT uuid, parent_uuid FROM lineage WHERE uuid = ?
         UNION ALL
         SELECT l.uuid, l.parent_uuid FROM chain JOIN lineage l ON l.uuid = chain.parent
       )
       SELECT chain.uuid, e.id FROM chain JOIN events e ON e.uuid = chain.uuid`,
    )

    /** Nodes as they were inserted last: most events hang from one of them. Anything that moves empties it. */
    const recent = new RecentlyUsed<string, Node>(NODES_REMEMBERED)
    /** Parents that were named before they came, as a rebuild meets them. */
    const missing = new Set<string>()
    const node = (uuid: string): Node | undefined => recent.get(uuid) ?? selectNode.get(uuid)
    const hang = (uuid: string, parent: string | null, cut: number) => {
      setParent.run(parent, cut, uuid)
      recent.clear()
    }
    const move = (uuid: string, depth: number, root: string) => {
      moveSubtree.run(root, depth - (selectNode.get(uuid)?.depth ?? depth), uuid)
      recent.clear()
    }

    /** The best parent that the log knows of. */
    const wantedParent = (uuid: string): string | null => {
      const row = onArrival.get(uuid)
      if (!row || row.kind === 'user_prompt') return null
      return awaited(uuid) ?? row.parent_uuid
    }

    /** Makes a node the root of its own subtree. */
    const detach = (uuid: string, cut: number) => {
      const known = node(uuid)
      hang(uuid, null, cut)
      if (known?.parent_uuid) move(uuid, 0, uuid)
    }

    /** Hangs a root under its parent; where that closes a cycle, the oldest of the cycle becomes the root instead. */
    const attach = (uuid: string, parent: string) => {
      const root = node(parent)?.root_uuid
      if (root === uuid) {
        const oldest = above.all(parent).reduce((a, b) => (b.id < a.id ? b : a))
        detach(oldest.uuid, 1)
        if (oldest.uuid === uuid) return
      }
      hang(uuid, parent, 0)
      const known = node(parent)
      if (known) move(uuid, known.depth + 1, known.root_uuid)
    }

    const relink = (uuid: string) => {
      const known = node(uuid)
      if (!known) return
      const wanted = wantedParent(uuid)
      if (wanted === known.parent_uuid) return
      detach(uuid, 0)
      // The edge that went may have been part of a cycle: what was cut for it is tried again.
      for (const other of cutNodes.all()) {
        const parent = wantedParent(other)
        if (parent !== null) attach(other, parent)
      }
      if (wanted !== null) attach(uuid, wanted)
    }

    return {
      apply({ uuid, kind, parent_uuid }, keys) {
        const parent = kind === 'user_prompt' ? null : (awaited(uuid) ?? parent_uuid)
        const known = parent === null ? undefined : node(parent)
        const root_uuid = known?.root_uuid ?? uuid
        const depth = known ? known.depth + 1 : 0
        insert.run(uuid, parent, root_uuid, depth)
        recent.set(uuid, { parent_uuid: parent, root_uuid, depth, cut: 0 })
        if (parent !== null && !known) missing.add(parent)
        if (missing.delete(uuid))
          for (const child of children.all(uuid)) {
            hang(child, null, 0)
            attach(child, uuid)
          }
        for (const child of waitingFor(uuid, keys)) relink(child)
      },
      applyLinks(uuid) {
        relink(uuid)
        for (const child of waiting.all(uuid)) relink(child)
      },
      discard() {
        recent.clear()
        missing.clear()
      },
    }
  },
}
