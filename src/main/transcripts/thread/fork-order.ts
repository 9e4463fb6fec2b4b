import type { Beginnings } from './file-beginning.ts'
import type { TranscriptFile } from './find-files.ts'
import { messagesOf } from './message-lines.ts'

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
  for (const places of familiesOf(blocks, beginningOf)) {
    if (places.length < 2) continue
    const family = await byOwnBeginning(places.map((at) => blocks[at] ?? []))
    for (const [index, at] of places.entries()) ordered[at] = family[index] ?? []
  }
  return ordered.flat()
}

/** Returns the places of files that begin with the same line or the same answer. */
function familiesOf(blocks: readonly Block[], beginningOf: Beginnings): Iterable<readonly number[]> {
  const families = new Map<string, number[]>()
  for (const [at, [file]] of blocks.entries()) {
    if (file === undefined || file.isAgent) continue
    const { uuid, answerId } = beginningOf(file.path)
    const names = [...(uuid === null ? [] : [`line ${uuid}`]), ...(answerId === null ? [] : [`answer ${answerId}`])]
    const [family = [], other = family] = names.flatMap((name) =>
      [families.get(name) ?? []].filter(({ length }) => length > 0),
    )
    family.push(at)
    if (other !== family) {
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
