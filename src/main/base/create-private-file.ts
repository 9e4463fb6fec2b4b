import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../shared/error-text.ts'

/**
 * Creates a file of mode 0600 with its whole content, unless there is one: two processes that start at once then use
 * the same file. Throws file system errors.
 */
export function createPrivateFile(path: string, content: string | Uint8Array): void {
  const aside = join(dirname(path), `.${basename(path)}-${randomBytes(6).toString('hex')}`)
  writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(aside, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}
