import type { AnyEvent } from '../../shared/event.ts'
import type { AppendResult } from '../store/ingest/ingest.ts'

/** By rule, or by what else is counted. */
type Counts = { readonly [name: string]: number }

/** Further names are counted together as `other`: the names come from outside. */
const MAX_NAMES = 200

/** Counters of the recorder since its start. */
export type Tally = ReturnType<typeof createTally>

export function createTally() {
  const dropped: Record<string, number> = {}
  const unknown = new Map<string, number>()
  let [exchanges, events, sightings] = [0, 0, 0]
  let lagMs: number | null = null
  let importer: { readonly counts: Counts; readonly timeouts: number } = { counts: {}, timeouts: 0 }

  function countUnknown(what: string, count: number): void {
    const name = unknown.has(what) || unknown.size < MAX_NAMES ? what : 'other'
    unknown.set(name, (unknown.get(name) ?? 0) + count)
  }

  const counts = () => ({ exchanges, events, sightings, commit_lag_ms: lagMs })

  return {
    exchange: () => void (exchanges += 1),
    stored({ added, joined, deleted }: AppendResult) {
      events += added.length
      sightings += joined
      if (deleted > 0) dropped['deleted_session'] = (dropped['deleted_session'] ?? 0) + deleted
    },
    /** Counts what no decoder knew, by name and client version. */
    unknown(all: readonly AnyEvent[]) {
      for (const event of all) {
        if (event.kind !== 'unknown') continue
        const { what, client_version: version } = event.payload
        countUnknown(version === undefined ? what : `${what} (${version})`, 1)
      }
    },
    /** Counts unknown fields of transcript lines. */
    unknownFields(counts: Counts) {
      for (const [what, count] of Object.entries(counts)) countUnknown(what, count)
    },
    drop(reason: string, count = 1) {
      if (count > 0) dropped[reason] = (dropped[reason] ?? 0) + count
    },
    /** Counts the redactions and redaction timeouts of the importer, whose drafts arrive redacted. */
    importerRedacted(counts: Counts, timeouts: number) {
      importer = { counts: sumOf(importer.counts, counts), timeouts: importer.timeouts + timeouts }
    },
    importerRedactions: () => importer,
    lag: (ms: number) => void (lagMs = Math.round(ms)),
    counts,
    read: () => ({ ...counts(), dropped: { ...dropped }, unknown: Object.fromEntries(unknown) }),
  }
}

/** Adds counts by name. */
export function sumOf(a: Counts, b: Counts): Record<string, number> {
  const out = { ...a }
  for (const [name, count] of Object.entries(b)) out[name] = (out[name] ?? 0) + count
  return out
}
