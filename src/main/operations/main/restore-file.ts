import { existsSync, readFileSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import type { MainHandlers } from '../../dispatch/handlers.ts'
import { errorCode } from '../../../shared/error-text.ts'
import { FILE_RESTORED } from '../../../shared/own-deed.ts'
import { linesIn } from '../../files/file-step.ts'
import { askMounts, checkAnswers } from '../../files/dead-mounts.ts'
import { linkedFolders } from '../../files/other-names.ts'
import { lineCount } from '../../files/session-change.ts'
import { noText } from '../../files/no-text.ts'
import { unifiedDiff } from '../../files/unified-diff.ts'
import { freePlace, placeFile, statOf } from '../../files/place-file.ts'
import type { Read } from '../../session-page/page-facts.ts'

/** A longer file is not compared. */
const MAX_COMPARED_BYTES = 4_000_000

/** What works for any place: the person's own shell writes it. */
const ELSEWHERE = 'print the text (aspy file show) and save it yourself'

/** Puts an event into the record. */
export type Post = (input: ParsedInput<'events.post'>) => Promise<unknown>

/** Creates the handler that writes a recorded file. Without an app, nothing is recorded. */
export const createFileHandlers = (read: Read, post: Post | null = null): Pick<MainHandlers, 'files.restore'> => ({
  'files.restore': (input) =>
    restoreFile(read, post, input).catch((error: unknown) => refused(input.out ?? input.path, error)),
})

/** Notes a restored file beside the last call of the state that it has. Returns false if no session has one. */
async function isNoted(
  read: Read,
  post: Post,
  { timestamp, ...to }: { path: string; out: string; kept: string | null; timestamp: string | null },
): Promise<boolean> {
  try {
    const { items } = await read('files.history', { path: to.path })
    const last = items.findLast((item) => item.path === to.path && item.timestamp === timestamp)
    if (last === undefined) return false
    const payload = { name: FILE_RESTORED, to: { ...to, event: last.uuid } }
    await post({ session_id: last.session_id, parent_uuid: last.uuid, kind: 'state_change', payload })
    return true
  } catch {
    // The file is written: that it is not in the record must not pass for a failure.
    return false
  }
}

/**
 * Writes the file as it was after an event, to a new place unless one is named. The present file is replaced only if it
 * is older or the caller says so, and is kept beside it then. A text with holes replaces none. Links are not followed.
 */
async function restoreFile(
  read: Read,
  post: Post | null,
  { path: asked, uuid, out: named, over, preview }: ParsedInput<'files.restore'>,
): Promise<OperationOutput<'files.restore'>> {
  const path = absolute(asked, 'path')
  const found = await read('files.at', { path, uuid })
  if (!found.lines.some(({ text }) => text !== null)) throw noText(await read('files.history', { path }))
  const place = named === undefined ? path : absolute(named, 'out')
  await askMounts()
  for (const each of [path, place]) checkAnswers(each)
  // A text of both endings has its returns in its lines.
  const isBoth = found.lines.some(({ text }) => text?.endsWith('\r'))
  const ending = found.line_ending ?? (isBoth ? null : endingOf(statOf(place) === null ? path : place))
  const text = found.lines.map((line) => line.text ?? '').join(ending === 'crlf' ? '\r\n' : '\n')
  // With holes, it is not the text of the file.
  const isSame = found.holes.length === 0 && textAt(place) === text
  const out = isSame || named !== undefined ? place : freePlace(path, 'restored')
  const { items } = await read('team.projects', {})
  const folders = [...new Set(items.flatMap(({ project }) => project ?? []))]
  const project = placeOf(out, [...folders, ...linkedFolders(folders).map(([, real]) => real)])
  const present = statOf(out)
  const isSure = found.holes.length === 0 && found.is_whole && found.doubted_since === null
  if (present !== null && !isSame) {
    const isOlder = !over && (await isBefore(read, [path, out], present, found.timestamp))
    checkReplaced(out, present, { isSure, isMeant: over || isOlder })
  }
  const answer = {
    path,
    out,
    is_same: isSame,
    diff: diffWith(present === null ? path : out, text),
    lines: lineCount(found.lines),
    holes: found.holes,
    is_whole: found.is_whole,
    doubted_since: found.doubted_since,
    line_ending: ending,
  }
  if (preview || isSame) return { ...answer, is_written: false, is_recorded: false, kept: null }
  const kept = placeFile(project, out, text, present)
  const restored = { path, out, kept, timestamp: found.timestamp }
  return { ...answer, is_written: true, is_recorded: post !== null && (await isNoted(read, post, restored)), kept }
}

/** Throws what the system says against reading or writing there, so that a person can do something about it. */
function refused(place: string, error: unknown): never {
  const code = error instanceof AspyError ? null : errorCode(error)
  if (code === null) throw error
  throw new AspyError(
    'conflict',
    `${place} cannot be written (${code}): name another place with --out, or ${ELSEWHERE}`,
  )
}

function absolute(path: string, field: string): string {
  if (!isAbsolute(path)) throw new AspyError('bad_input', `${field}: ${path} is relative; give the whole path`)
  return resolve(path)
}

/** Returns a folder above the place that sessions worked in, with no link on the way from there. @throws AspyError */
function placeOf(out: string, projects: readonly string[]): string {
  const named = [...new Set(projects)].filter((project) => isBelow(project, out))
  const above = named.filter((project) => existsSync(project))
  const [gone] = named
  if (above.length === 0)
    throw new AspyError(
      'forbidden',
      gone === undefined
        ? `${out} is in no project folder of the record, so nothing is written there; name a place in one of them, or ${ELSEWHERE}`
        : `the folder ${gone} is not on this machine, so nothing is written there; make it first, or ${ELSEWHERE}`,
    )
  const project = above.find((each) => linkBetween(resolve(each), out) === null)
  if (project === undefined)
    throw new AspyError(
      'forbidden',
      `${linkBetween(resolve(above[0] ?? out), out)} is a link or no folder, and files are not written through one: name another place with --out`,
    )
  return resolve(project)
}

function isBelow(project: string, out: string): boolean {
  if (!isAbsolute(project) || dirname(resolve(project)) === resolve(project)) return false
  const rest = relative(project, out)
  return rest !== '' && rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest)
}

/** Returns the first part of the way from a project folder to a file that is not a folder of its own; null if none is. */
function linkBetween(project: string, out: string): string | null {
  let at = project
  for (const part of relative(project, dirname(out)).split(sep)) {
    at = join(at, part)
    const stat = at === project ? null : statOf(at)
    if (stat !== null && !stat.isDirectory()) return at
  }
  return null
}

const MAY_BE_SAME = new Set(['shown', 'doubted', 'deleted'])

/**
 * True if a file was there before a call wrote the recorded one whole: what followed need not have had all of the file. What
 * a command copied or moved to its place later may have an earlier time.
 */
async function isBefore(read: Read, [path, out]: readonly string[], present: Stats, until: string | null) {
  const itemsOf = async (of = '') => (await read('files.history', { path: of })).items
  const written = (await itemsOf(path)).findLast((item) => item.action === 'written' && item.timestamp <= (until ?? ''))
  if (written === undefined || present.mtimeMs >= Date.parse(written.timestamp)) return false
  const later = (await itemsOf(out)).filter((item) => item.path === out && item.timestamp > written.timestamp)
  return later.every(({ action }) => MAY_BE_SAME.has(action))
}

interface Replacing {
  /** All of the recorded text is known. */
  readonly isSure: boolean
  readonly isMeant: boolean
}

function checkReplaced(out: string, present: Stats, { isSure, isMeant }: Replacing): void {
  if (!present.isFile())
    throw new AspyError('conflict', `${out} is not a plain file, so it is not replaced: name a new file with --out`)
  if (!isMeant)
    throw new AspyError(
      'conflict',
      `${out} exists and is newer: name a new file, or replace it (--over), which keeps the present one`,
    )
  if (!isSure)
    throw new AspyError(
      'conflict',
      'what is recorded of the file may be incomplete, so it replaces none: name a new file with --out',
    )
}

/** Returns the text of a file that can be compared; null if there is none, or it is too large, or not for this person to read. */
function textAt(path: string): string | null {
  const stat = statOf(path)
  if (stat === null || !stat.isFile() || stat.size > MAX_COMPARED_BYTES) return null
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}

/** Returns how the lines of a file end, if they all do so in the way of Windows; null otherwise. */
const endingOf = (path: string): 'crlf' | null => (linesIn(textAt(path) ?? '').ending === 'crlf' ? 'crlf' : null)

/** Returns the changes that the text would make to a file; null if that is not a text of usual size. */
function diffWith(path: string, text: string): string | null {
  const present = statOf(path) === null ? '' : textAt(path)
  return present === null || present.includes('\0') ? null : unifiedDiff(present, text)
}
