import { closeSync, openSync, readSync } from 'node:fs'
import { isFileError } from './file-error.ts'
import { messageOfLine } from './message-lines.ts'

/** The first answer of most files is within the first size; behind images, within the second. */
const HEAD_BYTES = [64 * 1024, 4 * 1024 * 1024] as const
const NEWLINE = 0x0a

/** Names by which a file is recognized as a copy of another. */
export interface FileBeginning {
  /** The uuid of its first message; null if it has none within its first bytes, or cannot be read. */
  readonly uuid: string | null
  /** The id of its first answer, which a copy keeps even if its lines have new uuids. */
  readonly answerId: string | null
  /** True if its first message is the summary of a compaction: a copy of it begins in the middle of its original. */
  readonly isSummary: boolean
}

/** Returns the beginning of a file. An import asks several times before it shows anything, so each file is read once. */
export type Beginnings = (path: string) => FileBeginning

export function createBeginnings(): Beginnings {
  const known = new Map<string, FileBeginning>()

  function read(path: string): FileBeginning {
    let found: FileBeginning = NOTHING
    try {
      const file = openSync(path, 'r')
      try {
        for (const bytes of HEAD_BYTES) {
          const head = Buffer.allocUnsafe(bytes)
          const size = readSync(file, head, 0, bytes, 0)
          found = beginningIn(head.subarray(0, size))
          if (size < bytes || (found.uuid !== null && found.answerId !== null)) break
        }
      } finally {
        closeSync(file)
      }
    } catch (error) {
      if (!isFileError(error)) throw error
    }
    return found
  }

  return (path) => {
    let beginning = known.get(path)
    if (beginning === undefined) known.set(path, (beginning = read(path)))
    return beginning
  }
}

/** The beginning of a file without messages. */
export const NOTHING: FileBeginning = { uuid: null, answerId: null, isSummary: false }

function beginningIn(head: Buffer): FileBeginning {
  let first = NOTHING
  for (let start = 0; start < head.length;) {
    const newline = head.indexOf(NEWLINE, start)
    const end = newline < 0 ? head.length : newline
    const message = messageOfLine(head.toString('utf8', start, end))
    if (first.uuid === null && message !== null) first = { ...message, answerId: null }
    if (message !== null && message.answerId !== null) return { ...first, answerId: message.answerId }
    start = end + 1
  }
  return first
}
