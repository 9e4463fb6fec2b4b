import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './working-copy.ts'

/** Results for one mutant of a sample. */
interface Note {
  readonly mutant: string
  /** At its first try. */
  readonly isKilledAtFirst: boolean
  readonly isKilled: boolean
}

/** Keeps the results of a sample on disk, so that `--again` tries only those that survived, or were not reached. */
export class SampleNotes {
  readonly #path: string
  readonly #notes: Map<string, Note>

  constructor(folder: string, seed: string, isContinued: boolean) {
    this.#path = join(ROOT, 'node_modules/.cache/aspy-mutants', `${folder.replaceAll('/', '-')}-${seed}.json`)
    mkdirSync(dirname(this.#path), { recursive: true })
    const stored = isContinued && existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : '{}'
    this.#notes = new Map(Object.entries(JSON.parse(stored) as Record<string, Note>))
  }

  of(id: string): Note | undefined {
    return this.#notes.get(id)
  }

  add(id: string, mutant: string, isKilled: boolean): void {
    const isKilledAtFirst = this.#notes.get(id)?.isKilledAtFirst ?? isKilled
    this.#notes.set(id, { mutant, isKilledAtFirst, isKilled })
    writeFileSync(this.#path, JSON.stringify(Object.fromEntries(this.#notes), null, 2))
  }
}
