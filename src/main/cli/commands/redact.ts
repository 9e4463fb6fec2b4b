import { AspyError } from '../../../shared/contract/errors.ts'
import type { PastProgress } from '../../../shared/contract/redaction.ts'
import type { Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count } from '../table.ts'
import { tellProgress, withApp } from '../with-app.ts'

/** A recorder that was ended is there again within seconds, and the redaction goes on. */
const MOST_RETRIES = 60
const RETRY_MS = 500

/** `aspy redact --past`: returns when the rules now in force were applied to all that is stored. */
export async function redactPast(settings: RunSettings, asJson: boolean): Promise<void> {
  await withApp(settings, async (client) => {
    let last: PastProgress | null = null
    for await (const progress of follow(client)) {
      last = progress
      if (!asJson) tellProgress(describe(progress))
    }
    if (!asJson) tellProgress(null)
    if (last === null || !last.done) throw new AspyError('internal', 'it ended before it was done: run it again')
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
      if (!isGone || retries > MOST_RETRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

const PHASES = {
  events: 'reading what is recorded',
  tables: 'reading what is drawn from it',
  archives: 'reading archives',
  files: 'reading session logs',
  clearing: 'clearing away what was replaced',
  done: 'done',
}

function describe({ phase, events, events_done, events_changed }: PastProgress): string {
  return `${PHASES[phase]}: ${count(events_done)} of ${count(events)} events, ${count(events_changed)} changed`
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
    ...(archives_done === 0 ? [] : [`${count(archives_done)} archives were looked through.`]),
    `${count(events_changed)} of ${count(events)} events, ${count(rows_changed)} other texts and ${count(files_changed)} of ${count(files)} session logs were changed.`,
    ...copies_removed.map((path) => `Removed, since it held what was stored before: ${path}`),
    ...backups.map((path) => `Not touched, and may hold what was stored before: ${path}`),
  ]
  return lines.join('\n')
}
