import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { statSync } from 'node:fs'
import { z } from 'zod'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { exportedEvent } from '../../../../shared/contract/store.ts'
import { madeByPeople, type MadeByPeople } from '../../../../shared/contract/people.ts'
import type { Json } from '../../../../shared/event.ts'
import { fileLines } from '../../../base/file-lines.ts'
import { eventOfLine } from '../../../sinks/recorder/event-of-line.ts'
import type { Store } from '../../../store/store.ts'
import type { ForeignEvent } from '../../../store/transfer/restore-events.ts'
import type { Steps } from './steps.ts'

/** Progress of importing an export. */
export type ExportImport = OperationOutput<'store.import'>

const SLICE_MS = 25
/** Events in a transaction: each costs as much as several of them. */
const AT_ONCE = 20

const contents = z.record(z.string(), z.string())
// An archive has them on separate lines.
const exported = exportedEvent.extend({ contents: contents.default({}) })
const onlyContents = z.strictObject({ contents })

export interface ImportExportOptions {
  readonly path: string
  /** Throws `store_unavailable`. */
  store(): Store
  redact<T extends Json>(value: T): T
}

/** Imports an export, an unpacked archive or a session log line by line, about 25 ms a step. Known events stay unchanged. */
export function* importExport({ path, store, redact }: ImportExportOptions): Steps<ExportImport> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size
  if (bytes === undefined) throw new AspyError('not_found', `there is no file ${path}`)
  const counts = { events_added: 0, events_known: 0, events_deleted: 0, made: 0, made_left_out: 0, lines_bad: 0 }
  const progress = { bytes, bytes_done: 0, ...counts, done: false }
  let contents: Record<string, string> = {}
  let waiting: ForeignEvent[] = []
  const restoreWaiting = () => {
    restore(store(), waiting, (outcome, events) => (progress[COUNTED[outcome]] += events))
    waiting = []
  }
  let deadline = performance.now() + SLICE_MS
  for (const { text, end } of fileLines(path)) {
    const record = parseRecord(text, redact)
    if (record === 'bad') progress.lines_bad += 1
    else if (record !== null && 'made' in record) {
      // It may refer to the events before it.
      restoreWaiting()
      progress.made += 1
      progress.made_left_out += store().people.restore(record) ? 0 : 1
    } else if (record !== null && !('event' in record)) contents = { ...contents, ...record.contents }
    else if (record !== null) {
      waiting.push({ ...record, contents: { ...contents, ...record.contents } })
      contents = {}
    }
    progress.bytes_done = end
    const isDue = performance.now() >= deadline
    if (isDue || waiting.length >= AT_ONCE) restoreWaiting()
    if (!isDue && performance.now() < deadline) continue
    yield { progress: { ...progress } }
    deadline = performance.now() + SLICE_MS
  }
  restoreWaiting()
  return { ...progress, done: true }
}

const COUNTED = { added: 'events_added', known: 'events_known', deleted: 'events_deleted', bad: 'lines_bad' } as const
type Count = (outcome: keyof typeof COUNTED, events: number) => void

/** Restores events in one transaction, or one by one if that fails. */
function restore(store: Store, records: readonly ForeignEvent[], count: Count): void {
  const restored = attempt(() => store.ingest.restoreEvents(records))
  if (restored === null) {
    if (records.length === 1) count('bad', 1)
    else for (const record of records) restore(store, [record], count)
    return
  }
  const { added, known, deleted, rest } = restored
  count('added', added)
  count('known', known)
  count('deleted', deleted)
  for (const draft of rest) {
    const appended = attempt(() => store.ingest.append([draft]))
    if (appended === null) count('bad', 1)
    else count(appended.added.length > 0 ? 'added' : appended.deleted > 0 ? 'deleted' : 'known', 1)
  }
}

/** Returns null for what cannot be stored: one event must not keep the others out. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof AspyError && error.code === 'store_unavailable') throw error
    return null
  }
}

/** Parses a line: an event, an item that people made, or blocks of an archive. Returns null for the header and empty lines. */
function parseRecord(
  line: string,
  redact: ImportExportOptions['redact'],
): ForeignEvent | MadeByPeople | Pick<ForeignEvent, 'contents'> | 'bad' | null {
  if (line === '') return null
  try {
    const value = JSON.parse(line) as Json
    if (value !== null && typeof value === 'object' && ('aspy_export' in value || 'aspy_archive' in value)) return null
    const redacted = redact(value)
    const fromSessionLog = eventOfLine(redacted)
    if (fromSessionLog !== null) return fromSessionLog
    if (redacted !== null && typeof redacted === 'object' && 'made' in redacted)
      return madeByPeople.safeParse(redacted).data ?? 'bad'
    const blocks = onlyContents.safeParse(redacted)
    if (blocks.success) return blocks.data
    const parsed = exported.safeParse(redacted)
    return parsed.success ? (parsed.data as unknown as ForeignEvent) : 'bad'
  } catch {
    return 'bad'
  }
}
