import type { AnyEvent } from '../../shared/event.ts'
import type { RecorderCounts } from './protocol.ts'
import type { AppendResult } from '../store/ingest/ingest.ts'

/** Counters of the recorder since its start. */
export interface Tally {
  exchange(): void
  stored(result: AppendResult): void
  /** Counts what no decoder knew, by name and client version. */
  unknown(events: readonly AnyEvent[]): void
  /** Counts unknown fields of transcript lines. */
  unknownFields(counts: { readonly [what: string]: number }): void
  drop(reason: string, count?: number): void
  /** Counts the redactions and redaction timeouts of the importer, whose drafts arrive redacted. */
  importerRedacted(counts: { readonly [rule: string]: number }, timeouts: number): void
  importerRedactions(): { readonly counts: { readonly [rule: string]: number }; readonly timeouts: number }
  lag(ms: number): void
  counts(): RecorderCounts
  read(): RecorderCounts & {
    readonly dropped: { readonly [reason: string]: number }
    readonly unknown: { readonly [what: string]: number }
  }
}

/** Further names are counted together as `other`: the names come from outside. */
const MAX_NAMES = 200

export function createTally(): Tally {
  const dropped: Record<string, number> = {}
  const unknown = new Map<string, number>()
  let [exchanges, events, sightings] = [0, 0, 0]
  let lagMs: number | null = null
  let importer: { readonly counts: { readonly [rule: string]: number }; readonly timeouts: number } = {
    counts: {},
    timeouts: 0,
  }

  function countUnknown(what: string, count: number): void {
    const name = unknown.has(what) || unknown.size < MAX_NAMES ? what : 'other'
    unknown.set(name, (unknown.get(name) ?? 0) + count)
  }

  const counts = () => ({ exchanges, events, sightings, commit_lag_ms: lagMs })

  return {
    exchange: () => void (exchanges += 1),
    stored({ added, joined, deleted }) {
      events += added.length
      sightings += joined
      if (deleted > 0) dropped['deleted_session'] = (dropped['deleted_session'] ?? 0) + deleted
    },
    unknown(all) {
      for (const event of all) {
        if (event.kind !== 'unknown') continue
        const { what, client_version: version } = event.payload
        countUnknown(version === undefined ? what : `${what} (${version})`, 1)
      }
    },
    unknownFields(counts) {
      for (const [what, count] of Object.entries(counts)) countUnknown(what, count)
    },
    drop(reason, count = 1) {
      if (count > 0) dropped[reason] = (dropped[reason] ?? 0) + count
    },
    importerRedacted(counts, timeouts) {
      importer = { counts: sumOf(importer.counts, counts), timeouts: importer.timeouts + timeouts }
    },
    importerRedactions: () => importer,
    lag: (ms) => void (lagMs = Math.round(ms)),
    counts,
    read: () => ({
      ...counts(),
      dropped: { ...dropped },
      unknown: Object.fromEntries(unknown),
    }),
  }
}

/** Adds counts by name. */
export function sumOf(
  a: { readonly [name: string]: number },
  b: { readonly [name: string]: number },
): Record<string, number> {
  const out = { ...a }
  for (const [name, count] of Object.entries(b)) out[name] = (out[name] ?? 0) + count
  return out
}
