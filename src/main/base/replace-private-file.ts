import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Writes a file of mode 0600 atomically. Replaces an existing file or link, but never a link's target. */
export function replacePrivateFile(path: string, content: string): void {
  const aside = join(dirname(path), `.${basename(path)}-${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
    renameSync(aside, path)
  } finally {
    rmSync(aside, { force: true })
  }
}
