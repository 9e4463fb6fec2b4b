import { AspyError } from '../../../shared/contract/errors.ts'
import type { PastProgress } from '../../../shared/contract/redaction.ts'
import type { Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { showProgress, withApp } from '../with-app.ts'

/** A recorder that exits restarts within seconds, and the redaction resumes. */
const MAX_RETRIES = 60
const RETRY_MS = 500

/** `aspy redact --past`: applies the current rules to all stored data, and returns when that is done. */
export async function redactPast(settings: RunSettings, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    let last: PastProgress | null = null
    for await (const progress of follow(client)) {
      last = progress
      if (!asJson) showProgress(describe(progress))
    }
    if (!asJson) showProgress(null)
    if (last === null || !last.done)
      throw new AspyError('internal', 'the redaction stopped before it was complete; run it again')
    process.stdout.write(`${asJson ? JSON.stringify(last) : report(last)}\n`)
  })
}

async function* follow(client: Client): AsyncGenerator<PastProgress> {
  let run: string | undefined
  for (let retries = 0; ;) {
    try {
      for await (const progress of client.stream('redaction.past', run === undefined ? {} : { run })) {
        retries = 0
        run = progress.run
        yield progress
      }
      return
    } catch (error) {
      const isGone = error instanceof AspyError && error.code === 'store_unavailable'
      retries += 1
      if (!isGone || retries > MAX_RETRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

const PHASES = {
  events: 'Checking recorded events',
  tables: 'Checking derived tables',
  archives: 'Checking archives',
  files: 'Checking session logs',
  clearing: 'Erasing replaced data',
  done: 'Done',
}

function describe({ phase, events, events_done, events_changed }: PastProgress): string {
  return `${PHASES[phase]}: ${count(events_done)} of ${counted(events, 'event')}, ${count(events_changed)} changed`
}

function report({
  events,
  events_changed,
  rows_changed,
  archives_done,
  files,
  files_changed,
  copies_removed,
  backups,
}: PastProgress): string {
  const lines = [
    ...(archives_done === 0 ? [] : [`Checked ${counted(archives_done, 'archive')}.`]),
    `Changed ${count(events_changed)} of ${counted(events, 'event')}, ${count(rows_changed)} other texts and ${count(files_changed)} of ${count(files)} session logs.`,
    ...copies_removed.map((path) => `Removed, because it contained unredacted data: ${path}`),
    ...backups.map((path) => `Not changed, and may contain unredacted data: ${path}`),
  ]
  return lines.join('\n')
}
