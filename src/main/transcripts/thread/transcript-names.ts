import type { TranscriptClient } from '../../decode/client/transcript-client.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'

const COMPRESSED = /\.jsonl\.(?:zst|gz)$/

/** True if a file may be a transcript by its name; its beginning decides. */
export const isTranscriptPath = (path: string, clients = TRANSCRIPT_CLIENTS): boolean =>
  isCompressedPath(path) || clients.some(({ hasName }) => hasName(path))

/** Returns the name that a renamed copy had, such as `a.jsonl.bak` or `a.JSONL`; null for any other file. */
export function originalName(path: string): string | null {
  const [, name = null] = /^(.+)\.jsonl(?![a-z0-9])[^/\\]*$/i.exec(path) ?? []
  return name === null || isTranscriptPath(path) ? null : `${name}.jsonl`
}

/** Returns the client that wrote a file, by its name alone; a file with any other name counts as one of the last client. */
export function clientOfName(path: string, clients = TRANSCRIPT_CLIENTS): TranscriptClient {
  const found = clients.find(({ hasName }) => hasName(path)) ?? clients.at(-1)
  if (found === undefined) throw new Error('there are no clients')
  return found
}

/** Returns the file of the session whose agent has this file, by a client's own way of naming; null for any other. */
export const mainFileOf = (path: string): string | null =>
  TRANSCRIPT_CLIENTS.reduce<string | null>((found, client) => found ?? client.mainFileOf?.(path) ?? null, null)

export const isCompressedPath = (path: string): boolean => COMPRESSED.test(path)

/** Returns the path that a compressed file had before, and has again when its session is resumed. */
export const plainPath = (path: string): string => path.replace(/\.(?:zst|gz)$/, '')

/** Returns when a file was begun, in ms since 1970, if its client puts that in its name. */
export const beganAt = (path: string): number | null => clientOfName(path).beganAt?.(path) ?? null

/** Returns the session of a file whose forks copy its lines without naming it; null for any other file. */
export const sessionOfFile = (path: string): string | null => clientOfName(path).sessionOfPath?.(path) ?? null

/** True if forks of a file copy its lines without naming it: the original must then be found and read first. */
export const copiesLines = (path: string): boolean => clientOfName(path).sessionOfPath !== undefined

/** True if a file is named as its client names those of a session. */
export const isFileOfSession = (path: string, session_id: string): boolean =>
  clientOfName(path).isOfSession?.(plainPath(path), { session_id, agent_id: null }) ?? false
