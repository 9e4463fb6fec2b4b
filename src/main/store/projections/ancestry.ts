import { RecentlyUsed } from '../../base/recently-used.ts'
import { LINE_KEY, sqlEventOfKey } from '../log/log.ts'
import type { ProjectionContext } from './projection.ts'

const MAX_RECENT_NODES = 2000

interface Node {
  readonly parent_id: number | null
  /** The uuid of a parent that is not in the log. */
  readonly missing_parent: string | null
  readonly root_id: number
  readonly depth: number
}

interface Parent {
  readonly id: number | null
  readonly missing: string | null
}

/** The fields of an event that decide its place in the tree. */
export interface Arrival {
  readonly id: number
  readonly uuid: string
  readonly kind: string
  readonly parent_uuid: string | null
}

const NO_PARENT: Parent = { id: null, missing: null }

const isNamed = ({ id, missing }: Parent): boolean => id !== null || missing !== null

/**
 * The tree of events: parent, root and depth of each, as far as parents are known. If parents form a cycle, the edge of
 * its oldest event is left out (`cut`), so that the result does not depend on the order in which they became known.
 */
export class Ancestry {
  readonly #statements: ReturnType<typeof prepareStatements>
  /** The newest nodes by uuid: most new events are their children. Emptied when any node moves. */
  readonly #recent = new RecentlyUsed<string, Pick<Node, 'root_id' | 'depth'> & { readonly id: number }>(
    MAX_RECENT_NODES,
  )
  /** True if any event names a parent that is not in the log; null if unknown. */
  #isAnyMissing: boolean | null = null

  constructor(prepare: ProjectionContext['prepare'], table: string) {
    this.#statements = prepareStatements(prepare, table)
  }

  /** Adds an event. `isNew`: the log never held it, so nothing it waits for is known. */
  add(event: Arrival, isNew: boolean): void {
    const { id, uuid, parent_uuid } = event
    const parent = this.#wantedParent(event, isNew)
    const near = parent.id === null ? undefined : this.#recent.get(parent_uuid ?? '')
    const known = near?.id === parent.id ? near : this.#node(parent)
    const root_id = known?.root_id ?? id
    const depth = known ? known.depth + 1 : 0
    if (parent.missing !== null) this.#isAnyMissing = true
    this.#statements.insert.run(id, parent.id, parent.missing, root_id, depth)
    this.#recent.set(uuid, { id, root_id, depth })
    for (const child of this.#childrenOf(id, uuid, isNew)) {
      this.#hang(child, NO_PARENT, 0)
      this.#attach(child, { id, missing: null })
    }
  }

  /** Moves an event to its best parent, which may have become known. */
  relink(uuid: string): void {
    const { idOf, onArrival, selectNode, cutNodes } = this.#statements
    const id = idOf.get(uuid)
    const row = id === undefined ? undefined : onArrival.get(id)
    const known = id === undefined ? undefined : selectNode.get(id)
    if (id === undefined || !row || !known) return
    const wanted = this.#wantedParent(row, false)
    if (wanted.id === known.parent_id && wanted.missing === known.missing_parent) return
    this.#detach(id, 0)
    // The removed edge may have been part of a cycle: edges that were cut are tried again.
    for (const other of cutNodes.all()) {
      const cut = onArrival.get(other)
      const parent = cut ? this.#wantedParent(cut, false) : NO_PARENT
      if (isNamed(parent)) this.#attach(other, parent)
    }
    if (isNamed(wanted)) this.#attach(id, wanted)
  }

  /** Relinks the events that wait for a key of this one. */
  relinkWaiting(id: number): void {
    for (const child of this.#statements.waiting.all(id, id)) this.relink(child)
  }

  idOf(uuid: string): number | undefined {
    return this.#statements.idOf.get(uuid)
  }

  discard(): void {
    this.#recent.clear()
    this.#isAnyMissing = null
  }

  /** Returns the best parent that the log holds; a new event waits for parents that it does not hold yet. */
  #wantedParent({ id, uuid, kind, parent_uuid }: Arrival, isNew: boolean): Parent {
    const better = isNew ? undefined : this.#awaited(uuid, id)
    if (better !== undefined) return { id: better, missing: null }
    // A prompt has a cause only if it turns out to be the client's own text.
    if (kind === 'user_prompt' || parent_uuid === null) return NO_PARENT
    const parentId = this.#recent.get(parent_uuid)?.id ?? this.#statements.idOf.get(parent_uuid)
    return parentId === undefined ? { id: null, missing: parent_uuid } : { id: parentId, missing: null }
  }

  /** Few events wait for a better parent, so that is checked first. */
  #awaited(uuid: string, id: number): number | undefined {
    const { awaits, firstAwaited } = this.#statements
    return awaits.get(uuid) === undefined ? undefined : firstAwaited.get(uuid, id)
  }

  /** Finds events that named this one before it came; a rebuild finds them by its id. */
  #childrenOf(id: number, uuid: string, isNew: boolean): readonly number[] {
    const { children, missing, someMissing } = this.#statements
    if (!isNew) return children.all(id, uuid)
    this.#isAnyMissing ??= someMissing.get() !== undefined
    return this.#isAnyMissing ? missing.all(uuid) : []
  }

  #node({ id }: Parent): Node | undefined {
    return id === null ? undefined : this.#statements.selectNode.get(id)
  }

  /** Makes a node the root of its subtree. */
  #detach(id: number, cut: number): void {
    const known = this.#statements.selectNode.get(id)
    this.#hang(id, NO_PARENT, cut)
    if (known && isNamed({ id: known.parent_id, missing: known.missing_parent })) this.#move(id, 0, id)
  }

  /** Links a root to its parent. If that closes a cycle, the oldest event of the cycle becomes the root instead. */
  #attach(id: number, parent: Parent): void {
    if (parent.id !== null && this.#node(parent)?.root_id === id) {
      const oldest = this.#statements.above.all(parent.id).reduce((a, b) => Math.min(a, b))
      this.#detach(oldest, 1)
      if (oldest === id) return
    }
    this.#hang(id, parent, 0)
    const known = this.#node(parent)
    if (known) this.#move(id, known.depth + 1, known.root_id)
  }

  #hang(id: number, parent: Parent, cut: number): void {
    if (parent.missing !== null) this.#isAnyMissing = true
    this.#statements.setParent.run(parent.id, parent.missing, cut, id)
    this.#recent.clear()
  }

  #move(id: number, depth: number, root: number): void {
    const { moveSubtree, selectNode } = this.#statements
    moveSubtree.run(root, depth - (selectNode.get(id)?.depth ?? depth), id)
    this.#recent.clear()
  }
}

function prepareStatements(prepare: ProjectionContext['prepare'], table: string) {
  const selectNode = prepare<[number], Node>(
    `SELECT parent_id, missing_parent, root_id, depth FROM ${table} WHERE event_id = ?`,
  )
  const insert = prepare<[number, number | null, string | null, number, number]>(
    `INSERT INTO ${table} (event_id, parent_id, missing_parent, root_id, depth) VALUES (?, ?, ?, ?, ?)`,
  )
  const setParent = prepare<[number | null, string | null, number, number]>(
    `UPDATE ${table} SET parent_id = ?, missing_parent = ?, cut = ? WHERE event_id = ?`,
  )
  const moveSubtree = prepare<[number, number, number]>(
    `UPDATE ${table} SET root_id = ?, depth = depth + ? WHERE event_id IN (
       WITH RECURSIVE below (id) AS (
         SELECT ?
         UNION ALL
         SELECT a.event_id FROM below JOIN ${table} a ON a.parent_id = below.id
       )
       SELECT id FROM below
     )`,
  )
  const awaits = prepare<[string], number>('SELECT 1 FROM parent_keys WHERE uuid = ? LIMIT 1').pluck()
  const firstAwaited = prepare<[string, number], number>(
    `SELECT id FROM (SELECT p.position, p.key, ${sqlEventOfKey('p.key')} AS id FROM parent_keys p WHERE p.uuid = ?)
     WHERE id <> ? ORDER BY position, key LIMIT 1`,
  ).pluck()
  const onArrival = prepare<[number], Arrival>('SELECT id, uuid, kind, parent_uuid FROM events WHERE id = ?')
  const idOf = prepare<[string], number>('SELECT id FROM events WHERE uuid = ?').pluck()
  const waiting = prepare<[number, number], string>(
    `SELECT p.uuid FROM key_rows k CROSS JOIN parent_keys p ON p.key = k.key WHERE k.event_id = ?
     UNION ALL
     SELECT p.uuid FROM events e CROSS JOIN parent_keys p ON p.key = '${LINE_KEY}' || e.uuid WHERE e.id = ? AND e.is_line = 1`,
  ).pluck()
  const children = prepare<[number, string], number>(
    `SELECT event_id FROM ${table} WHERE parent_id = ?
     UNION SELECT event_id FROM ${table} WHERE missing_parent = ? ORDER BY 1`,
  ).pluck()
  const missing = prepare<[string], number>(
    `SELECT event_id FROM ${table} WHERE missing_parent = ? ORDER BY event_id`,
  ).pluck()
  const someMissing = prepare<[], number>(`SELECT 1 FROM ${table} WHERE missing_parent > '' LIMIT 1`).pluck()
  const cutNodes = prepare<[], number>(`SELECT event_id FROM ${table} WHERE cut = 1`).pluck()
  const above = prepare<[number], number>(
    `WITH RECURSIVE chain (id, parent) AS (
       SELECT event_id, parent_id FROM ${table} WHERE event_id = ?
       UNION ALL
       SELECT a.event_id, a.parent_id FROM chain JOIN ${table} a ON a.event_id = chain.parent
     )
     SELECT id FROM chain`,
  ).pluck()
  return {
    selectNode,
    insert,
    setParent,
    moveSubtree,
    awaits,
    firstAwaited,
    onArrival,
    idOf,
    waiting,
    children,
    missing,
    someMissing,
    cutNodes,
    above,
  }
}
