import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'

/** A transcript that was named, or lies in a folder that was. */
export interface TranscriptFile {
  readonly path: string
  readonly bytes: number
}

/**
 * The transcripts that the paths name: files as they are, folders with every `*.jsonl` below them (subagents lie one or
 * more levels deeper), each once, in the order of their paths. Links to folders are not followed: they may lead in a
 * circle. Throws `bad_input` for a path that is not there.
 */
export async function findTranscripts(paths: readonly string[]): Promise<TranscriptFile[]> {
  const found = new Map<string, TranscriptFile>()
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
    else found.set(path, { path, bytes: entry.size })
  }
  return [...found.values()]
}

async function collect(folder: string, found: Map<string, TranscriptFile>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await collect(path, found)
    else if (entry.name.endsWith('.jsonl')) {
      const file = await lstat(path)
      if (file.isFile()) found.set(path, { path, bytes: file.size })
    }
  }
}
