import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { filledString, objectOf } from '../../../shared/json-fields.ts'
import { parseJson } from '../../decode/json-access.ts'
import { isUniqueId } from '../../decode/unique-id.ts'
import { isFileError } from './file-error.ts'
import { readLines } from './read-lines.ts'

/** A line that is a message of a conversation. */
export interface MessageLine {
  readonly uuid: string
  readonly sessionId: string | null
  readonly time: string
  /** The API's id of the answer that it is part of; null if its server gives ids that others give, too. */
  readonly answerId: string | null
  /** True for the summary of a compaction, with which the fork of a compacted session begins. */
  readonly isSummary: boolean
}

/** A message and a digest of the conversation up to and including it, which a copy has too, whatever its uuids. */
export interface ChainedLine extends MessageLine {
  readonly chain: string
  /** True if a line without a uuid follows, such as a note of the client. A fork copies lines with uuids only. */
  readonly isNoted: boolean
}

const MESSAGE = /"type":\s*"(?:user|assistant)"/

/** Returns a line that is a message of the conversation; null for any other line. */
export const messageOfLine = (text: string): MessageLine | null => readMessage(text)?.line ?? null

/** Returns the messages of a file's conversation in file order, each uuid once; none if it cannot be read. */
export async function messagesOf(path: string): Promise<readonly ChainedLine[]> {
  const found = new Map<string, ChainedLine>()
  let last: { isNoted: boolean } = { isNoted: false }
  let chain = ''
  try {
    const file = await open(path, 'r')
    try {
      for await (const { lines } of readLines(file)) {
        for (const { text } of lines) {
          const read = text === null ? null : readMessage(text)
          if (text !== null && !text.includes('"uuid"')) last.isNoted = true
          if (read === null || found.has(read.line.uuid)) continue
          chain = createHash('sha256').update(`${chain} ${read.said}`).digest('base64')
          const line = { ...read.line, chain, isNoted: false }
          found.set(line.uuid, line)
          last = line
        }
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return [...found.values()]
}

function readMessage(text: string): { readonly line: MessageLine; readonly said: string } | null {
  if (!MESSAGE.test(text)) return null
  const line = objectOf(parseJson(text))
  const uuid = filledString(line['uuid'])
  if (uuid === null || (line['type'] !== 'user' && line['type'] !== 'assistant')) return null
  const message = objectOf(line['message'])
  const id = line['type'] === 'assistant' ? filledString(message['id']) : null
  const answerId = id !== null && isUniqueId(id) ? id : null
  const said = JSON.stringify([line['type'], id, message['content'] ?? uuid])
  const sessionId = filledString(line['sessionId'])
  const isSummary = line['isCompactSummary'] === true
  return { line: { uuid, sessionId, time: filledString(line['timestamp']) ?? '', answerId, isSummary }, said }
}
