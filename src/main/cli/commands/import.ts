import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { deletedSoon } from '../../../shared/deleted-soon.ts'
import { byteSize } from '../../../shared/byte-size.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted } from '../table.ts'
import { untilStopped } from '../until-stopped.ts'
import { showProgress, withClient } from '../with-app.ts'
import { deletedNote } from './deleted-note.ts'
import { importExports } from './import-exports.ts'
import { sayAside } from '../wrap.ts'
import { print } from '../print-all.ts'

type Progress = OperationOutput<'transcripts.import'>
type Found = OperationOutput<'transcripts.find'>

/**
 * `aspy import [PATH…]`: imports the named files, or every transcript found. It uses the running app, or starts one for
 * the import. Ctrl+C or SIGTERM stops it; the next import resumes there.
 */
export async function importPaths(settings: RunSettings, paths: readonly string[], { json: asJson = false }: JsonFlag) {
  const missing = paths.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new AspyError('bad_input', `there is no ${missing.join(', ')}; nothing was imported`)
  if (await importExports(settings, paths, asJson)) return
  let last = null as Progress | null
  const isWhole = await untilStopped((stop) =>
    withClient(settings, async (client) => {
      const found = paths.length === 0 ? await client.call('transcripts.find', {}) : null
      if (found !== null && found.files + found.prompt_histories > 0 && !asJson) {
        const soon = deletedSoon(found)
        sayAside(soon === null ? describeFound(found) : `${describeFound(found)}\n${soon}`)
      }
      const input = paths.length === 0 ? {} : { paths: paths.map((path) => resolve(path)) }
      for await (const progress of client.stream('transcripts.import', input, stop)) {
        last = progress
        if (!asJson) showProgress(describe(progress))
      }
      showProgress(null)
      if (last?.done && last.files + last.lines + last.files_passed_over === 0) throw nothingFound(found, paths)
      if (last?.done) print({ json: last, text: describe(last) }, asJson)
      else throw new AspyError('internal', 'the import stopped before it was complete; run it again')
    }),
  )
  if (!isWhole) sayAside('Stopped. Imported events are kept, and the next import resumes here.')
  else if (last !== null && hasNothing(last)) {
    if (!asJson) sayAside('Nothing was imported.')
    if (isOfOthers(last)) process.exitCode = 1
  } else if (!asJson) sayAside('See what it cost with aspy receipt, and find words with aspy recall WORDS.')
}

/** True if no event of the files is in the log, by this import or an earlier one. */
const hasNothing = ({ events_added, sightings_added, files_unchanged, files_deleted }: Progress): boolean =>
  events_added + sightings_added + files_unchanged - files_deleted === 0

/** True if all that was there are files of other programs. */
const isOfOthers = ({ files_passed_over, files_deleted, events_deleted }: Progress): boolean =>
  files_passed_over > 0 && files_deleted + events_deleted === 0

function nothingFound(found: Found | null, paths: readonly string[]): AspyError {
  if (found === null)
    return new AspyError('not_found', `no transcripts found in ${paths.join(', ')}; name their files or folders`)
  const missing = 'neither ~/.claude/projects nor ~/.codex/sessions exists'
  const where = found.folders.length === 0 ? missing : found.folders.map(({ path }) => path).join(', ')
  return new AspyError('not_found', `no transcripts found (${where}); name files or folders with aspy import PATH`)
}

function describeFound({ sessions, files, bytes, imported_files, new_bytes, estimate_s, folders }: Found): string {
  const known = imported_files === 0 ? '' : ` (${count(imported_files)} already imported)`
  const rest = new_bytes === 0 ? 'nothing new' : `${byteSize(new_bytes)} to read, about ${estimate_s} s`
  const where = folders.map(({ path }) => path).join(', ')
  if (files === 0) return `no transcripts${where === '' ? '' : ` in ${where}`}; the list of all prompts is read`
  return `${counted(sessions, 'session')} in ${counted(files, 'file')}${known}, ${byteSize(bytes)} in ${where}: ${rest}`
}

function describe({ files, files_done, bytes, bytes_done, ...rest }: Progress): string {
  const { files_unchanged, events_added, sightings_added, events_deleted, lines_bad } = rest
  if (rest.previewing)
    return `Reading the figures first: ${Math.floor((100 * rest.bytes_previewed) / Math.max(1, bytes))}% of ${counted(files, 'file')}`
  const since = rest.search_covers_since
  const covered = since === null || rest.done ? '' : `; search covers back to ${since.slice(0, 10)}`
  const share = bytes > 0 && !rest.done ? ` (${Math.floor((100 * bytes_done) / bytes)}%)` : ''
  const same = files_unchanged - rest.files_deleted
  const unchanged = same === 0 ? '' : `, ${count(same)} unchanged`
  const gone =
    rest.files_deleted === 0 ? '' : `, ${counted(rest.files_deleted, 'file')} left out: you deleted the session`
  const bad = lines_bad === 0 ? '' : `, ${counted(lines_bad, 'line')} skipped as invalid`
  const named = rest.passed_over.join(', ') + (rest.files_passed_over > rest.passed_over.length ? ', …' : '')
  const others =
    rest.files_passed_over === 0
      ? ''
      : `; passed over ${counted(rest.files_passed_over, 'file')} of other programs or names: ${named}`
  return `${count(files_done)} of ${counted(files, 'file')}${share}${unchanged}: ${counted(events_added, 'event')}, ${count(sightings_added)} already known${deletedNote(events_deleted)}${gone}${bad}${covered}${rest.done ? others : ''}`
}
