import { closeSync, openSync, readSync } from 'node:fs'
import { parseJson } from '../../decode/json-access.ts'
import { filledString, objectOf } from '../../../shared/json-fields.ts'
import { isFileError } from './file-error.ts'

/** The first line of a conversation is within this size, unless it contains an image. */
const HEAD_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Returns the uuid of a file's first message; null if it has none within its first bytes, or cannot be read. An import asks
 * twice for each file before it shows anything, so each is read once.
 */
export type FirstUuids = (path: string) => string | null

export function createFirstUuids(): FirstUuids {
  const known = new Map<string, string | null>()
  const head = Buffer.allocUnsafe(HEAD_BYTES)

  function read(path: string): string | null {
    try {
      const file = openSync(path, 'r')
      try {
        return firstUuidIn(head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0)))
      } finally {
        closeSync(file)
      }
    } catch (error) {
      if (!isFileError(error)) throw error
      return null
    }
  }

  return (path) => {
    let uuid = known.get(path)
    if (uuid === undefined) known.set(path, (uuid = read(path)))
    return uuid
  }
}

function firstUuidIn(head: Buffer): string | null {
  for (let start = 0; start < head.length;) {
    const newline = head.indexOf(NEWLINE, start)
    const end = newline < 0 ? head.length : newline
    const message = messageOfLine(head.toString('utf8', start, end))
    if (message !== null) return message.uuid
    start = end + 1
  }
  return null
}

/** Returns the uuid and time of a line that is a message of the conversation; null for any other line. */
export function messageOfLine(text: string): { readonly uuid: string; readonly time: string } | null {
  if (!/"type":\s*"(?:user|assistant)"/.test(text)) return null
  const line = objectOf(parseJson(text))
  const uuid = filledString(line['uuid'])
  return uuid === null ? null : { uuid, time: filledString(line['timestamp']) ?? '' }
}
