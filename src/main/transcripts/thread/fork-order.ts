import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { isFileError } from './file-error.ts'
import { NOTHING, type Beginnings } from './file-beginning.ts'
import type { TranscriptFile } from './find-files.ts'
import { messagesOf } from './message-lines.ts'

/** Longer than any name of a line, which the end of a chunk may cut. */
const MAX_NAME = 100

/**
 * Puts originals before their forks. A fork copies the lines of its original, and the file that is read first owns
 * them. Not every client names the original: it is the session that has the client's notes first, or whose own lines
 * begin first. Files without shared lines keep their order, and an agent's files stay after their session's.
 */
export async function originalsFirst(
  files: readonly TranscriptFile[],
  beginningOf: Beginnings,
): Promise<readonly TranscriptFile[]> {
  const blocks = blocksOf(files)
  const ordered = [...blocks]
  const names = await namesOf(blocks, beginningOf)
  for (const places of familiesOf(names)) {
    if (places.length < 2) continue
    const family = await byOwnBeginning(places.map((at) => blocks[at] ?? []))
    for (const [index, at] of places.entries()) ordered[at] = family[index] ?? []
  }
  return ordered.flat()
}

/** Returns the lines and answers by which each file is known: its first ones, and the first of forks of its middle. */
async function namesOf(blocks: readonly Block[], beginningOf: Beginnings): Promise<readonly (readonly string[])[]> {
  const summaries = new Map<string, string[]>()
  const paths = blocks.map(([file]) => (file === undefined || file.isAgent ? null : file.path))
  for (const path of paths) {
    const { uuid, isSummary } = path === null ? NOTHING : beginningOf(path)
    if (path !== null && uuid !== null && isSummary)
      summaries.set(dirname(path), [...(summaries.get(dirname(path)) ?? []), uuid])
  }
  const names: string[][] = []
  for (const path of paths) {
    const { uuid, answerId } = path === null ? NOTHING : beginningOf(path)
    const within = path === null ? [] : await namesIn(path, summaries.get(dirname(path)) ?? [])
    const lines = new Set([...(uuid === null ? [] : [uuid]), ...within])
    names.push([...[...lines].map((line) => `line ${line}`), ...(answerId === null ? [] : [`answer ${answerId}`])])
  }
  return names
}

/** Returns those of the names that are somewhere in a file; none if it cannot be read. */
export async function namesIn(path: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const found = new Set<string>()
  let text = ''
  try {
    for await (const chunk of createReadStream(path, 'latin1')) {
      text = text.slice(-MAX_NAME) + String(chunk)
      for (const name of names) if (text.includes(name)) found.add(name)
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return [...found]
}

/** Returns the places of files with a name in common. */
function familiesOf(named: readonly (readonly string[])[]): Iterable<readonly number[]> {
  const families = new Map<string, number[]>()
  for (const [at, names] of named.entries()) {
    const [family = [], ...others] = new Set(
      names.flatMap((name) => [families.get(name) ?? []].filter(({ length }) => length > 0)),
    )
    family.push(at)
    for (const other of others) {
      family.push(...other)
      for (const [name, places] of families) if (places === other) families.set(name, family)
    }
    for (const name of names) families.set(name, family)
  }
  return [...new Set(families.values())].map((places) => places.toSorted((a, b) => a - b))
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
  // A copy has the same conversation up to a line, but its line may have another uuid.
  const names = new Map<string, string>()
  const lines: ReadonlyMap<string, string>[] = []
  const noted: string[] = []
  for (const [file] of family) {
    const messages = await messagesOf(file?.path ?? '')
    noted.push(messages.find(({ isNoted }) => isNoted)?.time ?? '')
    const timesByName = messages.map(({ uuid, chain, time, answerId }): [string, string] => {
      const said = answerId === null ? `${chain} ${time}` : chain
      const name = names.get(said) ?? names.get(uuid) ?? uuid
      names.set(said, name).set(uuid, name)
      return [name, time]
    })
    lines.push(new Map(timesByName))
  }
  const owners = new Map<string, number>()
  for (const named of lines) for (const name of named.keys()) owners.set(name, (owners.get(name) ?? 0) + 1)
  // A session that others copied entirely has no lines of its own, and comes first.
  const beginning = (named: ReadonlyMap<string, string>) => {
    for (const [name, time] of named) if (owners.get(name) === 1) return time
    return ''
  }
  const isNoted = !noted.includes('')
  // If others copied two sessions entirely, the shorter one is the original of the longer.
  return family
    .map((block, at) => ({
      block,
      noted: isNoted ? (noted[at] ?? '') : '',
      begins: beginning(lines[at] ?? new Map()),
      lines: lines[at]?.size ?? 0,
    }))
    .toSorted((a, b) => inOrder(a.noted, b.noted) || inOrder(a.begins, b.begins) || a.lines - b.lines)
    .map(({ block }) => block)
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
