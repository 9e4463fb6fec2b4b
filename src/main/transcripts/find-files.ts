import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'

/** A transcript that was named, or lies in a folder that was. */
export interface TranscriptFile {
  readonly path: string
  readonly bytes: number
}

export interface FoundTranscripts {
  readonly files: readonly TranscriptFile[]
  /** Folders and files below the named ones that could not be looked into. */
  readonly unreadable: number
}

/**
 * The transcripts that the paths name: files as they are, folders with every `*.jsonl` below them (subagents lie one or
 * more levels deeper), each once, in the order of their paths. Links are not followed: they may lead in a circle. Throws
 * `bad_input` for a named path that cannot be read.
 */
export async function findTranscripts(paths: readonly string[]): Promise<FoundTranscripts> {
  const found: Found = { files: new Map(), unreadable: 0 }
  for (const path of paths) {
    const entry = await stat(path).catch((error: unknown) => {
      throw new AspyError(
        'bad_input',
        `${path} cannot be read: give the path of a transcript or of a folder with some`,
        {
          cause: error,
        },
      )
    })
    if (entry.isDirectory()) await collect(path, found)
    else found.files.set(path, { path, bytes: entry.size })
  }
  return { files: [...found.files.values()], unreadable: found.unreadable }
}

interface Found {
  readonly files: Map<string, TranscriptFile>
  unreadable: number
}

async function collect(folder: string, found: Found): Promise<void> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await collect(path, found)
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) {
        found.files.set(path, { path, bytes: (await lstat(path)).size })
      }
    }
  } catch {
    // Gone in the meantime, or not ours to read: counted, and the others are read.
    found.unreadable += 1
  }
}
