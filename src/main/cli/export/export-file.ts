import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { errorCode } from '../../../shared/error-text.ts'

/** A new file that an export is written to. */
export class ExportFile {
  readonly #path: string
  readonly #file: number

  /** Creates the file for its owner only. Throws `bad_input` with what to do if it cannot be created. */
  constructor(path: string) {
    this.#path = path
    try {
      this.#file = openSync(path, 'wx', 0o600)
    } catch (error) {
      throw new AspyError('bad_input', reasonOf(path, codeOf(error)))
    }
  }

  /** Appends text. Throws `store_unavailable` if the disk is full or not writable. */
  write(text: string): void {
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
    } catch (error) {
      throw new AspyError(
        'store_unavailable',
        `cannot write ${this.#path}: ${codeOf(error)}. The part written was removed`,
      )
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Closes and removes an incomplete file. */
  discard(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

function reasonOf(path: string, code: string): string {
  if (code === 'EEXIST')
    return `${path} exists already and was not changed; choose another file with --out, or remove it`
  if (code === 'ENOENT')
    return `there is no folder ${dirname(resolve(path))}; create it, or choose another file with --out`
  if (code === 'ENOTDIR') return `${dirname(resolve(path))} is not a folder; choose another file with --out`
  return `cannot create ${path} (${code}); choose another file with --out`
}

const codeOf = (error: unknown): string => errorCode(error) ?? String(error)
