import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

type Progress = OperationOutput<'transcripts.import'>

/** `aspy import PATH…`: through the running app, else through one that lives as long as the import. */
export async function importPaths(settings: RunSettings, paths: readonly string[], asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    let last: Progress | null = null
    for await (const progress of client.stream('transcripts.import', { paths: paths.map((path) => resolve(path)) })) {
      last = progress
      if (!asJson) tellProgress(describe(progress))
    }
    if (!asJson) tellProgress(null)
    if (last === null || !last.done) throw new AspyError('internal', 'the import ended before it was done')
    process.stdout.write(`${asJson ? JSON.stringify(last) : describe(last)}\n`)
  })
}

function describe({ files, files_done, events_added, sightings_added, lines_bad }: Progress): string {
  const bad = lines_bad === 0 ? '' : `, ${count(lines_bad)} lines not understood`
  return `${count(files_done)} of ${count(files)} files: ${count(events_added)} events, ${count(sightings_added)} already known${bad}`
}
