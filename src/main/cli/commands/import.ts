import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { findRunningApp } from '../../data-folder.ts'
import { connect } from '../client.ts'
import { serveHere } from '../serving.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'

type Progress = OperationOutput<'transcripts.import'>

/** `aspy import PATH…`: through the running app, else through one that lives as long as the import. */
export async function importPaths(settings: RunSettings, paths: readonly string[], asJson: boolean): Promise<void> {
  const running = await findRunningApp(settings.dataDir)
  const own = running === null ? await serveHere(withFreePorts(settings)) : null
  try {
    const client = await connect(settings)
    let last: Progress | null = null
    for await (const progress of client.stream('transcripts.import', { paths: paths.map((path) => resolve(path)) })) {
      last = progress
      if (!asJson && process.stderr.isTTY) process.stderr.write(`\r${describe(progress)}\u001b[K`)
    }
    if (!asJson && process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    if (last === null || !last.done) throw new AspyError('internal', 'the import ended before it was done')
    process.stdout.write(`${asJson ? JSON.stringify(last) : describe(last)}\n`)
  } finally {
    own?.end()
    await own?.ended
  }
}

function describe({ files, files_done, events_added, sightings_added, lines_bad }: Progress): string {
  const bad = lines_bad === 0 ? '' : `, ${count(lines_bad)} lines not understood`
  return `${count(files_done)} of ${count(files)} files: ${count(events_added)} events, ${count(sightings_added)} already known${bad}`
}

/** An app of this command alone must not take the ports that clients know. */
function withFreePorts({ loaded, ...rest }: RunSettings): RunSettings {
  const { config, origins } = loaded
  const free = { ...config, app: { ...config.app, port: 0 }, proxy: { ...config.proxy, port: 0 } }
  return { ...rest, loaded: { config: free, origins } }
}
