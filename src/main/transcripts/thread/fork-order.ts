import { open } from 'node:fs/promises'
import { isFileError } from './file-error.ts'
import type { TranscriptFile } from './find-files.ts'
import { type FirstUuids, messageOfLine } from './first-uuids.ts'
import { readLines } from './read-lines.ts'

/**
 * Puts originals before their forks. A fork copies the lines of its original, and the file that is read first owns
 * them. Clients before 2.1.231 do not name the original: it is the session whose own lines begin first. Files without
 * shared lines keep their order, and an agent's files stay after their session's.
 */
export async function originalsFirst(
  files: readonly TranscriptFile[],
  firstUuid: FirstUuids,
): Promise<readonly TranscriptFile[]> {
  const blocks = blocksOf(files)
  const families = new Map<string, number[]>()
  for (const [at, [file]] of blocks.entries()) {
    const first = file === undefined || file.isAgent ? null : firstUuid(file.path)
    if (first !== null) families.set(first, [...(families.get(first) ?? []), at])
  }
  const ordered = [...blocks]
  for (const places of families.values()) {
    if (places.length < 2) continue
    const family = await byOwnBeginning(places.map((at) => blocks[at] ?? []))
    for (const [index, at] of places.entries()) ordered[at] = family[index] ?? []
  }
  return ordered.flat()
}

type Block = readonly TranscriptFile[]

/** A session's file, followed by the files of its agents. */
function blocksOf(files: readonly TranscriptFile[]): readonly Block[] {
  const blocks: TranscriptFile[][] = []
  for (const file of files) {
    const last = blocks.at(-1)
    if (file.isAgent && last !== undefined) last.push(file)
    else blocks.push([file])
  }
  return blocks
}

async function byOwnBeginning(family: readonly Block[]): Promise<readonly Block[]> {
  const lines = await Promise.all(family.map(([file]) => linesOf(file?.path ?? '')))
  const owners = new Map<string, number>()
  for (const uuids of lines) for (const uuid of uuids.keys()) owners.set(uuid, (owners.get(uuid) ?? 0) + 1)
  // A session that others copied entirely has no lines of its own, and comes first.
  const beginning = (uuids: ReadonlyMap<string, string>) => {
    for (const [uuid, time] of uuids) if (owners.get(uuid) === 1) return time
    return ''
  }
  // If others copied two sessions entirely, the shorter one is the original of the longer.
  return family
    .map((block, at) => ({ block, begins: beginning(lines[at] ?? new Map()), lines: lines[at]?.size ?? 0 }))
    .toSorted((a, b) => (a.begins < b.begins ? -1 : a.begins > b.begins ? 1 : a.lines - b.lines))
    .map(({ block }) => block)
}

/** Returns the uuids of a file's conversation with their times, in file order. */
export async function linesOf(path: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  try {
    const file = await open(path, 'r')
    try {
      for await (const { lines } of readLines(file)) {
        for (const { text } of lines) {
          const message = text === null ? null : messageOfLine(text)
          if (message !== null && !found.has(message.uuid)) found.set(message.uuid, message.time)
        }
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return found
}
