import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { isPage, unpackPage } from '../../session-page/read-page.ts'
import { unpackArchive } from '../../store/archive/unpack-archive.ts'
import type { Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { deletedNote } from './deleted-note.ts'
import { sessionLogsAt, unpacked, unpackedBy, type Work } from './session-logs.ts'
import { followed, withApp } from '../with-app.ts'
import { sayAside } from '../wrap.ts'
import { print } from '../print-all.ts'

/** Imports exports, archives and session logs. Returns false if none of the paths is one, or a folder of them. */
export async function importExports(
  settings: RunSettings,
  paths: readonly string[],
  asJson: boolean,
): Promise<boolean> {
  const logs = paths.map((path) => (isExport(path) || isArchive(path) || isPage(path) ? [path] : sessionLogsAt(path)))
  const files = logs.flat()
  if (files.length === 0) return false
  if (logs.some((found) => found.length === 0))
    throw new AspyError(
      'bad_input',
      'cannot import transcripts and Aspy files in one command; run aspy import once for each',
    )
  await withApp(settings, async (client) => {
    const sum = {
      files: 0,
      events_added: 0,
      events_known: 0,
      events_deleted: 0,
      made: 0,
      made_left_out: 0,
      lines_bad: 0,
    }
    for (const path of files) {
      const unpack = isPage(path) ? unpackedPage : isArchive(path) ? unpackedArchive : unpacked
      const imported = await unpack(settings.dataDir, path, (plain) => importOne(client, plain))
      sum.files += 1
      for (const name of COUNTS) sum[name] += imported[name]
    }
    print({ json: { ...sum, done: true }, text: describe(sum) }, asJson)
  })
  return true
}

const COUNTS = ['events_added', 'events_known', 'events_deleted', 'made', 'made_left_out', 'lines_bad'] as const

function describe(sum: Record<'files' | (typeof COUNTS)[number], number>): string {
  const bad = sum.lines_bad === 0 ? '' : `, ${counted(sum.lines_bad, 'line')} skipped as invalid`
  const files = counted(sum.files, 'file')
  const left =
    sum.made_left_out === 0
      ? ''
      : ` (${count(sum.made_left_out)} left out: no such session or event, or not deleted here)`
  const made =
    sum.made === 0 ? '' : `, ${counted(sum.made, 'change')} of people (labels, memories, searches, deletions)${left}`
  return `${files}: ${counted(sum.events_added, 'event')}, ${count(sum.events_known)} already known${deletedNote(sum.events_deleted)}${made}${bad}`
}

/** Recognizes a file written by `aspy export` by its first line. */
function isExport(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    readSync(file, start, 0, start.length, 0)
    return start.toString().startsWith('{"aspy_export":')
  } finally {
    closeSync(file)
  }
}

const isArchive = (path: string) => /(?:^|[/\\])\d{4}-\d{2}-[0-9a-f]{8}\.jsonl\.zst$/.test(path)

const unpackedArchive = <T>(dataDir: string, path: string, work: Work<T>) =>
  unpackedBy((to) => unpackArchive(path, to), dataDir, work)

/** Runs `work` on the export in a page, and reports on standard error if the page does not have the whole session. */
async function unpackedPage<T>(dataDir: string, path: string, work: Work<T>): Promise<T> {
  let missing = 0
  const result = await unpackedBy((to) => ({ missing } = unpackPage(path, to)), dataDir, work)
  if (missing > 0) sayAside(`${path} is incomplete: it lacks ${counted(missing, 'event')} of the session`)
  return result
}

const importOne = (client: Client, path: string): Promise<OperationOutput<'store.import'>> =>
  followed(
    'the import',
    client.stream('store.import', { path: resolve(path) }),
    ({ bytes, bytes_done }) => `${count(bytes_done)} of ${counted(bytes, 'byte')}`,
  )
