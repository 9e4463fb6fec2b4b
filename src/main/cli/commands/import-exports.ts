import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

/** Takes in what `aspy export` wrote; false: none of the paths is such a file. */
export async function importExports(
  settings: RunSettings,
  paths: readonly string[],
  asJson: boolean,
): Promise<boolean> {
  const exports = paths.filter(isExport)
  if (exports.length === 0) return false
  if (exports.length < paths.length)
    throw new AspyError('bad_input', 'import transcripts and exports of aspy one after the other, not at once')
  await withApp(settings, async (client) => {
    for (const path of exports) await importOne(client, path, asJson)
  })
  return true
}

/** Whether a file is one that `aspy export` wrote: its first line says so. */
function isExport(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  const file = openSync(path, 'r')
  try {
    const begin = Buffer.alloc(16)
    readSync(file, begin, 0, begin.length, 0)
    return begin.toString().startsWith('{"aspy_export":')
  } finally {
    closeSync(file)
  }
}

async function importOne(client: Client, path: string, asJson: boolean): Promise<void> {
  let last: OperationOutput<'store.import'> | null = null
  for await (const progress of client.stream('store.import', { path: resolve(path) })) {
    last = progress
    if (!asJson) tellProgress(`${count(progress.bytes_done)} of ${count(progress.bytes)} bytes`)
  }
  if (!asJson) tellProgress(null)
  if (last === null || !last.done) throw new AspyError('internal', 'the import ended before it was done')
  const bad = last.lines_bad === 0 ? '' : `, ${count(last.lines_bad)} lines not understood`
  const text = `${path}: ${count(last.events_added)} events, ${count(last.events_known)} already known${bad}`
  process.stdout.write(`${asJson ? JSON.stringify(last) : text}\n`)
}
