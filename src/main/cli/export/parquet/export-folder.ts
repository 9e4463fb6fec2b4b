import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { TABLES } from './session-files.ts'
import { errorCode } from '../../../../shared/error-text.ts'

const PARTIAL = '.partial'
/** Marks a folder as an export of ours, which the next one may replace. */
const MARK = 'aspy-export.json'
const OURS: ReadonlySet<string> = new Set([...TABLES, MARK])

/**
 * The folder of an export. An export is written to `.partial` in it and then takes the place of the earlier one, so that a
 * failed export changes nothing.
 */
export class ExportFolder {
  /** Folder of the export until it is complete. */
  readonly partial: string
  readonly #path: string

  /** Creates the folder. Throws `bad_input` if it is in use, or holds anything but an earlier export. */
  constructor(path: string) {
    this.#path = path
    this.partial = join(path, PARTIAL)
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      checkContents(path, readdirSync(path))
      mkdirSync(this.partial, { mode: 0o700 })
      for (const table of TABLES) mkdirSync(join(this.partial, table), { mode: 0o700 })
    } catch (error) {
      if (error instanceof AspyError) throw error
      throw new AspyError('bad_input', `cannot write to ${path}: ${reasonOf(error)}. Choose another folder`)
    }
  }

  /** Removes folders of the export that is being written. */
  remove(folders: readonly string[]): void {
    for (const folder of folders) rmSync(join(this.partial, folder), { recursive: true })
  }

  /** Replaces the earlier export with the finished one. `facts` are written next to the tables. */
  publish(facts: object): void {
    writeFileSync(join(this.partial, MARK), `${JSON.stringify({ aspy_parquet: 1, ...facts }, null, 2)}\n`, {
      mode: 0o600,
    })
    // The mark is written first and removed last: a folder with any table always has it.
    for (const name of [MARK, ...TABLES]) {
      rmSync(join(this.#path, name), { recursive: true, force: true })
      renameSync(join(this.partial, name), join(this.#path, name))
    }
    this.discard()
  }

  /** Removes the incomplete export; the earlier one stays. */
  discard(): void {
    rmSync(this.partial, { recursive: true, force: true })
  }
}

function checkContents(path: string, names: readonly string[]): void {
  if (names.includes(PARTIAL)) {
    const partial = join(path, PARTIAL)
    throw new AspyError('bad_input', `an export is writing to ${path}, or was killed. If none is, remove ${partial}`)
  }
  if (names.length === 0) return
  const other = names.find((name) => !OURS.has(name))
  if (other === undefined && names.includes(MARK)) return
  const reason = other === undefined ? `has no ${MARK}` : `contains ${other}`
  throw new AspyError(
    'bad_input',
    `${path} ${reason}, so it is not an earlier Parquet export, and nothing was changed. Choose a new or empty folder`,
  )
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? String(error)
}
