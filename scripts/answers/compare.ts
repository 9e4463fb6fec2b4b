import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { nameOfRow } from './promised-tables.ts'

type Entry = Readonly<Record<string, unknown>>

/** Returns what differs between two folders of recorded answers: a line for each file, then its first `most` differences. */
export function compareFolders(before: string, after: string, most: number): readonly string[] {
  const files = new Set([before, after].flatMap((folder) => globSync('**/*.json', { cwd: folder })))
  return [...files].sort().flatMap((file) => {
    const [one, other] = [textOf(join(before, file)), textOf(join(after, file))]
    if (one === other) return []
    if (one === null || other === null) return [`${file}: only in ${one === null ? after : before}`]
    const differences = differencesOfLists(
      basename(file, '.json'),
      JSON.parse(one) as Entry[],
      JSON.parse(other) as Entry[],
    )
    return [
      `${file}: ${differences.length} differences`,
      ...differences.slice(0, most).map((line) => `  ${line}`),
      ...(differences.length > most ? [`  … ${differences.length - most} more`] : []),
    ]
  })
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Compares answers by their inputs and rows by what names them. Equal names are numbered. */
function differencesOfLists(table: string, before: readonly Entry[], after: readonly Entry[]): readonly string[] {
  const later = named(table, after)
  const differences = [...named(table, before)].flatMap(([name, entry]) => {
    const other = later.get(name)
    later.delete(name)
    if (other === undefined) return [`${name}: only before`]
    return differencesOf(entry, other, '').map((difference) => `${name} ${difference}`)
  })
  return [...differences, ...[...later.keys()].map((name) => `${name}: only after`)]
}

function named(table: string, entries: readonly Entry[]): Map<string, Entry> {
  const names = new Map<string, Entry>()
  for (const entry of entries) {
    const name = entry['input'] === undefined ? (nameOfRow(table, entry) ?? 'entry') : JSON.stringify(entry['input'])
    let unique = name
    for (let count = 2; names.has(unique); count += 1) unique = `${name} (${count})`
    names.set(unique, entry)
  }
  return names
}

/** Returns one line for each place in which two values differ. */
function differencesOf(before: unknown, after: unknown, place: string): readonly string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    const lengths = before.length === after.length ? [] : [`${place}.length: ${before.length} → ${after.length}`]
    const shared = before.slice(0, after.length)
    return [...lengths, ...shared.flatMap((value, at) => differencesOf(value, after[at], `${place}[${at}]`))]
  }
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => differencesOf(before[key], after[key], `${place}.${key}`))
  }
  return [`${place}: ${shown(before)} → ${shown(after)}`]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 200))
