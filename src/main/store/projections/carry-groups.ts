import type { CarriedThing } from '../../ledger/carried-thing.ts'
import { newAccount, type CarryAccount } from '../../ledger/carry-account.ts'
import type { Rate } from '../../ledger/class-rates.ts'
import type { ProjectionContext } from './projection.ts'

/** A row of `carry_groups`. */
export interface CarryGroup extends CarryAccount {
  /** The line. */
  readonly event_id: number
  readonly number: number
  readonly turn_id: number | null
  readonly kind: string | null
  readonly tool: string | null
  readonly server: string | null
  readonly name: string | null
  blocks: number
  bytes: number
}

const KEYS = ['event_id', 'number', 'turn_id', 'kind', 'tool', 'server', 'name'] as const
const SUMS = ['blocks', 'bytes', ...(Object.keys(newAccount()) as (keyof CarryAccount)[])] as const
const COLUMNS = [...KEYS, ...SUMS]

/** Keeps the groups of lines in memory during a transaction, and writes those that changed at its end. */
export class CarryGroups {
  readonly #all
  readonly #upsert
  readonly #changed = new Set<CarryGroup>()

  constructor({ prepare, tables: t }: Pick<ProjectionContext, 'prepare' | 'tables'>) {
    this.#all = prepare<[number], CarryGroup>(
      `SELECT ${COLUMNS.join(', ')} FROM ${t.carry_groups} WHERE event_id = ? ORDER BY number`,
    )
    this.#upsert = prepare(
      `INSERT INTO ${t.carry_groups} (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (event_id, number) DO UPDATE SET ${SUMS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  }

  /** Returns the groups of a line. Its last transaction must have been flushed. */
  ofLine(line: number): LineGroups {
    this.flush()
    return new LineGroups(line, this.#all.all(line), this.#changed)
  }

  flush(): void {
    for (const group of this.#changed) this.#upsert.run(...COLUMNS.map((name) => group[name]))
    this.#changed.clear()
  }

  discard(): void {
    this.#changed.clear()
  }
}

/** The groups of a line, in the order in which they appeared. */
export class LineGroups {
  readonly #line: number
  readonly #groups: CarryGroup[]
  readonly #byKey: Map<string, CarryGroup>
  readonly #changed: Set<CarryGroup>

  constructor(line: number, groups: CarryGroup[], changed: Set<CarryGroup>) {
    this.#line = line
    this.#groups = groups
    this.#byKey = new Map(groups.map((group) => [keyOf(group), group]))
    this.#changed = changed
  }

  /** Returns the group of a new block. */
  ofThing(thing: CarriedThing, bytes: number | null): CarryGroup {
    return this.#add({ ...thing, turn_id: null }, bytes)
  }

  /** Returns the group of all blocks that enter in a turn, for a new block. */
  ofTurn(turn: number, bytes: number | null): CarryGroup {
    return this.#add({ ...NO_THING, turn_id: turn }, bytes)
  }

  /** Adds what no block of a request accounts for. */
  addRest(turn: number, { tokens, usd }: Rate): void {
    if (tokens === 0 && usd === 0) return
    const groups = [this.#find({ ...OVERHEAD, turn_id: null }), this.#find({ ...NO_THING, turn_id: turn })]
    for (const each of groups) {
      each.requests += 1
      each.uncached_tokens += tokens
      each.uncached_usd += usd
    }
    this.touch(groups)
  }

  /** Returns the groups with these numbers. */
  numbered(...numbers: readonly number[]): readonly CarryGroup[] {
    return numbers.flatMap((number) => this.#groups[number - 1] ?? [])
  }

  /** Notes that the sums of these groups change. */
  touch(groups: readonly CarryAccount[]): void {
    // A line's blocks belong to its own groups.
    for (const group of groups) this.#changed.add(group as CarryGroup)
  }

  #add(key: GroupKey, bytes: number | null): CarryGroup {
    const group = this.#find(key)
    group.blocks += 1
    group.bytes += bytes ?? 0
    return group
  }

  #find(key: GroupKey): CarryGroup {
    const name = keyOf(key)
    return this.#byKey.get(name) ?? this.#create(name, key)
  }

  #create(name: string, key: GroupKey): CarryGroup {
    const number = this.#groups.length + 1
    const group = { event_id: this.#line, number, ...key, blocks: 0, bytes: 0, ...newAccount() }
    this.#groups.push(group)
    this.#byKey.set(name, group)
    return group
  }
}

const NO_THING = { kind: null, tool: null, server: null, name: null }
const OVERHEAD = { ...NO_THING, kind: 'overhead' }

type GroupKey = Pick<CarryGroup, 'turn_id' | 'kind' | 'tool' | 'server' | 'name'>

const keyOf = ({ turn_id: turn, kind, tool, name }: GroupKey): string => JSON.stringify([turn, kind, tool, name])
