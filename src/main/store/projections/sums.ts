import type { ProjectionContext } from './projection.ts'

/** A table of sums over all sessions. `keyOf` returns the row's key for a key passed to `add`. */
interface SumTable<Key, Name> {
  readonly table: string
  readonly sums: {
    readonly keys: readonly string[]
    readonly counts: readonly Name[]
    readonly totals: readonly Name[]
  }
  readonly keyOf: (key: Key) => readonly string[]
}

/** Adds up counts during a transaction. `flush` writes them, once per row; `discard` forgets them. */
export interface Sums<Key, Name extends string> {
  /** Columns that are left out add nothing. */
  add(key: Key, counts: { readonly [name in Name]?: number }, sign: 1 | -1): void
  flush(): void
  discard(): void
}

/**
 * Creates sums over tables that count the same columns by different keys. A row whose counts are all zero is removed,
 * since a rebuild does not make it.
 */
export function createSums<Key extends readonly string[], Name extends string>(
  prepare: ProjectionContext['prepare'],
  tables: readonly SumTable<Key, Name>[],
): Sums<Key, Name> {
  const columns = [...new Set(tables.flatMap(({ sums }) => [...sums.counts, ...sums.totals]))]
  const writers = tables.map(({ table, sums: { keys, counts }, keyOf }) => {
    const names = [...keys, ...columns]
    const upsert = prepare<(string | number)[]>(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${columns.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    )
    const removeEmpty = prepare<string[]>(
      `DELETE FROM ${table} WHERE ${keys.map((name) => `${name} = ?`).join(' AND ')} AND ${counts.map((name) => `${name} = 0`).join(' AND ')}`,
    )
    return { keyOf, upsert, removeEmpty }
  })
  const gathered = new Map<string, number[]>()

  return {
    add(key, counts, sign) {
      const row = rowOf(gathered, key, columns.length)
      columns.forEach((name, at) => (row[at] = (row[at] ?? 0) + sign * (counts[name] ?? 0)))
    },
    flush() {
      const added = [...gathered].map(([key, row]) => [JSON.parse(key) as Key, row] as const)
      gathered.clear()
      for (const { keyOf, upsert, removeEmpty } of writers) {
        const rows = new Map<string, number[]>()
        for (const [key, counts] of added) {
          const row = rowOf(rows, keyOf(key), columns.length)
          counts.forEach((count, at) => (row[at] = (row[at] ?? 0) + count))
        }
        for (const [key, row] of rows) {
          if (row.every((count) => count === 0)) continue
          const keys = JSON.parse(key) as string[]
          upsert.run(...keys, ...row)
          if (row.some((count) => count < 0)) removeEmpty.run(...keys)
        }
      }
    },
    discard: () => gathered.clear(),
  }
}

function rowOf(rows: Map<string, number[]>, key: readonly string[], length: number): number[] {
  const name = JSON.stringify(key)
  const row = rows.get(name) ?? Array.from({ length }, () => 0)
  rows.set(name, row)
  return row
}
