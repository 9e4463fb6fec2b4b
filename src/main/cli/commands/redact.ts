import { AspyError } from '../../../shared/contract/errors.ts'
import type { CopyReport, PastProgress } from '../../../shared/contract/redaction.ts'
import type { Client } from '../client.ts'
import { agrees, confirm } from '../confirm.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import { REMNANTS } from './delete.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { followed, withApp } from '../with-app.ts'
import { print } from '../print-all.ts'

/** A recorder that exits restarts within seconds, and the redaction resumes. */
const MAX_RETRIES = 60
const RETRY_MS = 500

const QUESTION = 'Apply the current rules to everything stored? What they remove is gone for good.'
const UNASKED = 'nothing was redacted: there is no terminal to confirm it in; add --yes to redact without a question'

interface RedactFlags extends JsonFlag {
  /** Must be given, so that a name alone starts nothing. */
  readonly past?: boolean
  /** Redacts, and removes copies with unredacted data, without a question. */
  readonly yes?: boolean
}

/**
 * `aspy redact --past`: asks, applies the current rules to all stored data, and returns when that is done. Then asks whether
 * to remove the copies that Aspy keeps and that the rules would change. Without a terminal and without `--yes` it changes
 * nothing and sets exit code 2.
 */
export async function redactPast(
  settings: RunSettings,
  { json: asJson = false, yes = false, past = false }: RedactFlags,
): Promise<void> {
  if (!past) throw new AspyError('bad_input', '--past is missing: add it to apply the current rules to all stored data')
  if (!(await agrees(yes, QUESTION, 'redacted', UNASKED))) return
  await withApp(settings, async (client) => {
    const last = await followed('the redaction', follow(client), asJson ? null : describe)
    const removed = await removeCopies(client, last, yes)
    print({ json: { ...last, copies_removed: removed }, text: report(last, removed) }, asJson)
  })
}

/** Removes the copies with unredacted data if the user agrees; returns the paths of those removed. */
async function removeCopies(client: Client, { copies }: PastProgress, yes: boolean): Promise<readonly string[]> {
  const paths = copies.flatMap(({ path, content }) => (content === 'unredacted' ? [path] : []))
  if (paths.length === 0) return []
  const question = `These copies, which Aspy kept, contain unredacted data:\n${paths.join('\n')}\nRemove them permanently?`
  if (!yes && !(await confirm(question))) return []
  const { removed } = await client.call('redaction.remove_copies', { paths })
  return removed
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
  files: 'Checking session logs and copies',
  clearing: 'Clearing indexes',
  done: 'Done',
}

const describe = ({ phase, events, events_done, events_changed }: PastProgress): string =>
  `${PHASES[phase]}: ${count(events_done)} of ${counted(events, 'event')}, ${count(events_changed)} changed`

function report(progress: PastProgress, removed: readonly string[]): string {
  const { events, events_changed, rows_changed, archives_done, files, files_changed, copies, backups } = progress
  const lines = [
    ...(archives_done === 0 ? [] : [`Checked ${counted(archives_done, 'archive')}.`]),
    `Changed ${count(events_changed)} of ${counted(events, 'event')}, ${count(rows_changed)} other texts and ${count(files_changed)} of ${count(files)} session logs.`,
    ...copies.map((copy) => describeCopy(copy, removed.includes(copy.path))),
    ...(events_changed + rows_changed > 0 ? [withTypedHere(REMNANTS)] : []),
    ...backups.map((path) => `Not changed, and may contain unredacted data: ${path}`),
  ]
  return lines.join('\n')
}

const KEPT = {
  unredacted: 'Kept, although it contains unredacted data',
  nothing: 'Kept, because the rules change nothing in it',
  unreadable: 'Kept, because it cannot be read, and may contain unredacted data',
}

const describeCopy = ({ path, content }: CopyReport, isRemoved: boolean): string =>
  isRemoved ? `Removed, because it contained unredacted data: ${path}` : `${KEPT[content]}: ${path}`
