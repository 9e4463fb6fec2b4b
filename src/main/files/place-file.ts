import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { errorCode } from '../../shared/error-text.ts'

/** Returns what is at a path, a link itself included; null if nothing is, as below a file. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}

/** Returns the path with an ending; with that and a number if something is there. The path itself, if nothing is. */
export function freePlace(path: string, ending: string): string {
  let free = path
  for (let number = 1; statOf(free) !== null; number += 1)
    free = number === 1 ? `${path}.${ending}` : `${path}.${ending}-${number}`
  return free
}

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants

/**
 * Writes a text to a place below a project folder, and returns where the present file went; null if there is none. The
 * folder is held open meanwhile: if another process puts a link in its way, nothing is written there.
 */
export function placeFile(project: string, out: string, text: string, present: Stats | null): string | null {
  const folder = dirname(out)
  makeFolders(project, folder)
  const real = join(realpathSync(project), relative(project, folder))
  // Windows opens no folder.
  const held = process.platform === 'win32' ? null : openSync(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const through = `/proc/self/fd/${held}`
    const base = held !== null && existsSync(through) ? through : folder
    const check = () => {
      const isMoved = held !== null && !isSame(fstatSync(held), lstatSync(real))
      if (isMoved || realpathSync(base) !== real)
        throw new AspyError('conflict', `${folder} was replaced while its file was written: look at it, and try again`)
    }
    check()
    return writeIn(base, out, text, present, check)
  } finally {
    if (held !== null) closeSync(held)
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev

/** Makes the folders that are missing one by one: each must be a folder of its own, not a link. */
function makeFolders(project: string, folder: string): void {
  let at = project
  for (const part of relative(project, folder).split(sep)) {
    at = join(at, part)
    if (statOf(at) === null) mkdirSync(at)
    if (statOf(at)?.isDirectory() !== true && at !== project)
      throw new AspyError('forbidden', `${at} is a link or no folder, and files are not written through one`)
  }
}

function writeIn(base: string, out: string, text: string, present: Stats | null, check: () => void): string | null {
  const place = join(base, basename(out))
  const kept = present === null ? null : freePlace(place, 'before')
  if (kept !== null) renameSync(place, kept)
  try {
    // Fails if something is there, a link that leads nowhere included.
    const file = openSync(place, 'wx', present?.mode ?? 0o666)
    try {
      check()
      // Of a new file, the umask takes some away.
      if (present !== null && process.platform !== 'win32') fchmodSync(file, present.mode & 0o777)
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') rmSync(place, { force: true })
    if (kept !== null && statOf(place) === null) renameSync(kept, place)
    throw error
  }
  return kept === null ? null : join(dirname(out), basename(kept))
}
