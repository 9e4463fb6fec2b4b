import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Who wrote a line that no recorded call wrote. */
export const PERSON = 'person'

/** A line with everyone who may truly be named as its author: nobody can tell equal lines of one change apart. */
export interface TrueLine {
  readonly text: string
  readonly by: readonly string[]
  /** A command changed it in a way that its own text does not say. */
  readonly isUnproven?: true
}

export interface TrueFile {
  readonly lines: readonly TrueLine[]
  readonly ending: '\n' | '\r\n'
}

/** A line of a new text: the place of an old one that stays, or a new text. */
export type NewLine = number | string

/** Real files in a folder, with the truth about each of their lines. */
export class TrueFiles {
  readonly root: string
  readonly #files = new Map<string, TrueFile>()

  constructor(root: string) {
    this.root = root
  }

  paths(): string[] {
    return [...this.#files.keys()].sort()
  }

  get(path: string): TrueFile | undefined {
    return this.#files.get(path)
  }

  text(path: string): string {
    const { lines = [], ending = '\n' } = this.#files.get(path) ?? {}
    return lines.map((line) => line.text).join(ending)
  }

  /** Notes a file, and writes it to the disk unless a command did. */
  set(path: string, file: TrueFile, isOnDisk = false): void {
    this.#files.set(path, file)
    if (isOnDisk) return
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), this.text(path))
  }

  /** Replaces lines; those that stay keep their author. */
  change(path: string, [from, count]: readonly [number, number], next: readonly NewLine[], by: string): void {
    const file = this.#files.get(path) ?? { lines: [], ending: '\n' as const }
    // Nobody can tell what a person copies from what is moved.
    const old = by === PERSON ? file.lines : file.lines.slice(from, from + count)
    const lines = next.map((one): TrueLine => {
      const kept = typeof one === 'number' ? file.lines[one] : undefined
      if (kept !== undefined) return kept
      return writtenBy(by, String(one), old)
    })
    this.set(path, { ...file, lines: file.lines.toSpliced(from, count, ...lines) })
  }

  /** Writes a whole text; lines that were there before may be named by either author. */
  write(path: string, texts: readonly string[], by: string): void {
    const file = this.#files.get(path) ?? { lines: [], ending: '\n' as const }
    const lines = texts.map((text) => writtenBy(by, text, file.lines))
    this.set(path, { ...file, lines })
  }

  remove(path: string): void {
    for (const each of this.paths()) if (each === path || each.startsWith(`${path}/`)) this.#files.delete(each)
    rmSync(join(this.root, path), { recursive: true, force: true })
  }

  /** Notes what a move or a copy did; a person's move is done here, too. */
  move(from: string, to: string, { isCopy = false, isOnDisk = true } = {}): void {
    const file = this.#files.get(from)
    if (file === undefined) throw new Error(`${from} is not there`)
    if (!isOnDisk) renameSync(join(this.root, from), join(this.root, to))
    this.#files.set(to, file)
    if (!isCopy) this.#files.delete(from)
  }

  /** Returns all that is known now, for git to bring back. */
  snapshot(): ReadonlyMap<string, TrueFile> {
    return new Map(this.#files)
  }

  /** Takes the truth of a file, or of all, from a snapshot. */
  bringBack(snapshot: ReadonlyMap<string, TrueFile>, only?: string): void {
    if (only === undefined) this.#files.clear()
    for (const [path, file] of snapshot) if (only === undefined || path === only) this.#files.set(path, file)
  }

  /** Throws if the disk has anything else: then the story is wrong, not the record. */
  check(): void {
    const found = listed(this.root, '')
    const known = this.paths()
    if (found.join() !== known.join()) throw new Error(`on disk: ${found.join()}; told: ${known.join()}`)
    for (const path of known) {
      const real = readFileSync(join(this.root, path), 'utf8')
      if (real !== this.text(path))
        throw new Error(`${path} has ${JSON.stringify(real)}, not ${JSON.stringify(this.text(path))}`)
    }
  }
}

/** Returns a line that one wrote where the same text may have been before. */
function writtenBy(by: string, text: string, before: readonly TrueLine[]): TrueLine {
  const equal = before.filter((line) => line.text === text)
  const isUnproven = equal.some((line) => line.isUnproven === true)
  return { text, by: [by, ...equal.flatMap((line) => line.by)], ...(isUnproven ? { isUnproven } : {}) }
}

function listed(root: string, below: string): string[] {
  if (!existsSync(join(root, below))) return []
  return readdirSync(join(root, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.name.startsWith('.')) return []
      return entry.isDirectory() ? listed(root, path) : [path]
    })
    .sort()
}
