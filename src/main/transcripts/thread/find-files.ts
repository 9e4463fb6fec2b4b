import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { FileState } from './file-identity.ts'
import { isCompressedPath, isTranscriptPath, mainFileOf, originalName, plainPath, beganAt } from './transcript-names.ts'

/** A transcript that was named, or is below a folder that was. */
export interface TranscriptFile extends FileState {
  readonly path: string
  /** True for a subagent's own file. */
  readonly isAgent: boolean
}

export interface FoundTranscripts {
  /** In reading order: older sessions first, each before its subagents. */
  readonly files: readonly TranscriptFile[]
  /** The named paths that are folders. */
  readonly folders: readonly string[]
  /** Tool results that were too long for their lines. */
  readonly spilled: { readonly files: number; readonly bytes: number }
  /** Folders and files below the named ones that could not be opened. */
  readonly unreadable: number
  /** Renamed copies of transcripts that are not there. They are not read. */
  readonly renamed: readonly string[]
}

/**
 * The transcripts that the paths name: files as they are, folders with every `*.jsonl` below them (subagents and workflows
 * are one or more levels deeper), every compressed one and every rollout that is one JSON object, each once. Opens no
 * file. Links are followed, each folder once: they may lead in a circle. Files below `except` are left out. Throws
 * `bad_input` for a named path that cannot be read.
 */
export function findTranscripts(paths: readonly string[], except: string | null = null): FoundTranscripts {
  const counts = { spilledFiles: 0, spilledBytes: 0, unreadable: 0 }
  const found: Found = { files: new Map(), renamed: [], ...counts, except, entered: new Set() }
  const folders: string[] = []
  for (const path of paths) {
    const entry = named(path)
    if (entry.isDirectory()) {
      folders.push(path)
      collect(path, found)
    } else found.files.set(path, fileOf(path, entry))
  }
  return {
    files: inReadingOrder([...found.files.values()].filter(({ path }) => !isReplaced(path, found.files))),
    folders,
    spilled: { files: found.spilledFiles, bytes: found.spilledBytes },
    unreadable: found.unreadable,
    renamed: found.renamed.filter((path) => !found.files.has(originalName(path) ?? path)),
  }
}

/** Returns the file's current state; null if it was deleted, not a transcript, or compressed but in use again. */
export function lookAt(path: string): TranscriptFile | null {
  if (!isTranscriptPath(path)) return null
  try {
    if (isCompressedPath(path) && isFile(plainPath(path))) return null
    const entry = lstatSync(path)
    return entry.isFile() ? fileOf(path, entry) : null
  } catch {
    // Deleted: its events stay.
    return null
  }
}

/** A rollout that is resumed exists twice for a while: the plain file has more. */
const isReplaced = (path: string, files: ReadonlyMap<string, TranscriptFile>): boolean =>
  isCompressedPath(path) && files.has(plainPath(path))

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false

interface Found {
  readonly files: Map<string, TranscriptFile>
  readonly renamed: string[]
  readonly except: string | null
  /** Real paths of the folders. */
  readonly entered: Set<string>
  spilledFiles: number
  spilledBytes: number
  unreadable: number
}

/** Folders without files of people, which never end where they lead to themselves. */
const OF_SYSTEM = /^\/(?:proc|sys)(?:\/|$)/

function named(path: string): Stats {
  let entry: Stats
  try {
    entry = statSync(path)
  } catch (error) {
    const message = `${path} cannot be read: give the path of a transcript or a folder of transcripts`
    throw new AspyError('bad_input', message, { cause: error })
  }
  if (OF_SYSTEM.test(realpathSync(path)))
    throw new AspyError(
      'bad_input',
      `${path} belongs to the system, where no client keeps transcripts: give another path`,
    )
  if (entry.isFile() || entry.isDirectory()) return entry
  throw new AspyError('bad_input', `${path} is neither a file nor a folder: give the path of a transcript`)
}

function collect(folder: string, found: Found): void {
  const isSpill = basename(folder) === 'tool-results'
  try {
    const real = realpathSync(folder)
    if (OF_SYSTEM.test(real) || folder === found.except || real === found.except || found.entered.has(real)) return
    found.entered.add(real)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) collectLinked(path, entry, found)
      else if (entry.isDirectory()) collect(path, found)
      else if (!entry.isFile()) continue
      else if (isSpill) {
        found.spilledFiles += 1
        found.spilledBytes += lstatSync(path).size
      } else if (isTranscriptPath(entry.name)) found.files.set(path, fileOf(path, lstatSync(path)))
      else if (originalName(path) !== null) found.renamed.push(path)
    }
  } catch {
    // Gone in the meantime, or not readable: counted, and the others are read.
    found.unreadable += 1
  }
}

/** What a link leads to has its real path, so that it is the same file or folder under each of its names. */
function collectLinked(link: string, { name }: Dirent, found: Found): void {
  const entry = statSync(link, { throwIfNoEntry: false })
  if (entry === undefined) found.unreadable += Number(isTranscriptPath(name))
  else if (entry.isDirectory()) collect(realpathSync(link), found)
  else if (entry.isFile() && isTranscriptPath(name)) {
    const path = realpathSync(link)
    if (isTranscriptPath(path)) found.files.set(path, fileOf(path, entry))
  }
}

function fileOf(path: string, { dev, ino, size, mtimeMs }: Stats): TranscriptFile {
  const isAgent =
    path.includes(`${sep}subagents${sep}`) || basename(path).startsWith('agent-') || mainFileOf(path) !== null
  return { path, dev, ino, size, mtimeMs, isAgent }
}

/**
 * A call comes before the agent that it starts, and a session before its forks: a fork copies lines, and they belong to
 * the session that reports them first.
 */
function inReadingOrder(files: TranscriptFile[]): TranscriptFile[] {
  // Subagents and forks of a file begin after it, but may be written to before it.
  const age = (file: TranscriptFile) => beganAt(file.path) ?? file.mtimeMs
  const byAge = files.toSorted((a, b) => age(a) - age(b) || (a.path < b.path ? -1 : 1))
  const agents = new Map<string, TranscriptFile[]>()
  for (const file of byAge) {
    if (!file.isAgent) continue
    const session = sessionFileOf(file.path)
    agents.set(session, [...(agents.get(session) ?? []), file])
  }
  const ordered: TranscriptFile[] = []
  for (const file of byAge) {
    if (file.isAgent) continue
    ordered.push(file, ...(agents.get(file.path) ?? []))
    agents.delete(file.path)
  }
  return [...ordered, ...[...agents.values()].flat()]
}

/** Returns where an agent's session has its transcript: `<session>.jsonl` next to the folder `<session>`. */
function sessionFileOf(path: string): string {
  const main = mainFileOf(path)
  if (main !== null) return main
  const at = path.lastIndexOf(`${sep}subagents${sep}`)
  return at < 0 ? dirname(path) : `${path.slice(0, at)}.jsonl`
}
