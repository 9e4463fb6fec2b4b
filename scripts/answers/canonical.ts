import { createHash } from 'node:crypto'

/** Removes from answers what differs between two runs of the same code, and orders the rest. */

/** Longer texts are recorded as their beginning and a hash. */
const LONGEST_TEXT = 400
const BEGINNING = 160

/** Fields about the run itself, by the operation or table that has them. */
const OF_THE_RUN: { readonly [source: string]: readonly string[] } = {
  'health.get': ['id', 'pid', 'database_bytes'],
  // Begins with the file's number on the disk.
  transcript_files: ['identity'],
}

/** UUIDs that `stopped-clock.ts` counted. */
const COUNTED = /\b[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-03a5[0-9a-f]{8}\b/g
const PORT = /\b(127\.0\.0\.1|localhost):\d{2,5}\b/g
/** The random mark of a pack's fence. */
const PACK_MARK = /\b(marked|recalled|end) (?:[0-9a-f]{12}|[0-9a-f]{6})\b/g
const PATH_SECRET = /\baspy-path-[\w-]{20,}/g
/** The random part of an archive's name. */
const ARCHIVE = /\b(\d{4}-\d{2})-[0-9a-f]{8}\.jsonl\.zst\b/g

export interface CanonicalOptions {
  /** Folders, by the name that is recorded for them. */
  readonly folders: { readonly [name: string]: string }
  /** Names of events, by UUID. */
  readonly events: ReadonlyMap<string, string>
}

/** Returns canonical JSON of values, one function for each file: UUIDs are numbered as they occur. */
export function createCanonical({ folders, events }: CanonicalOptions): (value: unknown, source?: string) => string {
  const numbered = new Map<string, string>()
  const nameOf = (uuid: string): string => {
    const known = events.get(uuid) ?? numbered.get(uuid)
    if (known !== undefined) return known
    const name = `<id ${numbered.size + 1}>`
    numbered.set(uuid, name)
    return name
  }
  const paths = Object.entries(folders)

  function textOf(text: string): string {
    let clean = text
    for (const [name, folder] of paths) clean = clean.replaceAll(folder, `<${name}>`)
    clean = clean
      .replace(COUNTED, nameOf)
      .replace(PORT, '$1:<port>')
      .replace(PACK_MARK, '$1 <mark>')
      .replace(PATH_SECRET, '<path secret>')
      .replace(ARCHIVE, '$1.jsonl.zst')
    if (clean.length <= LONGEST_TEXT) return clean
    const hash = createHash('sha256').update(clean).digest('hex').slice(0, 16)
    return `${clean.slice(0, BEGINNING)}… <${clean.length} characters, ${hash}>`
  }

  return function canonical(value, source = '') {
    const ignored = OF_THE_RUN[source] ?? []
    return JSON.stringify(value, (key, field: unknown) => {
      if (ignored.includes(key)) return '<of the run>'
      if (typeof field === 'string') return textOf(field)
      if (typeof field === 'bigint') return Number(field)
      if (Buffer.isBuffer(field) || !isRecord(field)) return field
      if (field['type'] === 'Buffer')
        return `<bytes ${createHash('sha256').update(JSON.stringify(field)).digest('hex').slice(0, 16)}>`
      return Object.fromEntries(Object.entries(field).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    })
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
