import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type BigIntStats } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { WhyNot } from '../../../shared/seen-file.ts'

/** A file's content, as far as it is kept. */
export interface Content {
  readonly hash: string | null
  readonly text: string | null
  readonly why_not: WhyNot | null
}

const MAX_BYTES = 256 * 1024

/** Returns whether a file is the same, as far as its times and size tell. */
export const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one?.ino === other?.ino &&
  one?.size === other?.size &&
  one?.mtimeNs === other?.mtimeNs &&
  one?.ctimeNs === other?.ctimeNs

const without = (why_not: WhyNot): Content => ({ hash: null, text: null, why_not })

/** Reads a plain file below a root that is as it was listed; null if it is another one by now. */
export function contentOf(root: string, path: string, listed: BigIntStats): Content | null {
  if (basename(path).startsWith('.env')) return without('private')
  if (listed.size > MAX_BYTES) return without('too_large')
  let file: number | null = null
  try {
    const folder = realpathSync(dirname(path))
    if (folder !== root && !folder.startsWith(`${root}/`)) return null
    // Neither follows a link nor waits for the other end of a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const bytes = Buffer.alloc(Number(listed.size))
    let length = 0
    if (!isSame(fstatSync(file, { bigint: true }), listed)) return null
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null)
    if (length < bytes.length || !isSame(fstatSync(file, { bigint: true }), listed)) return null
    const hash = createHash('sha256').update(bytes).digest('hex')
    const text = bytes.toString('utf8')
    const isText = !bytes.includes(0) && Buffer.from(text).equals(bytes)
    return isText ? { hash, text, why_not: null } : { hash, text: null, why_not: 'not_text' }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return without('not_readable')
  } finally {
    if (file !== null) closeSync(file)
  }
}
