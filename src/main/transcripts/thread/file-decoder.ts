import type { FileHandle } from 'node:fs/promises'
import type { DecoderFacts, DocumentParts, TranscriptClient } from '../../decode/client/transcript-client.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'
import type { TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import { isObject } from '../../../shared/json-fields.ts'
import { parseJson } from '../../decode/json-access.ts'
import { nodeDisk } from '../node-disk.ts'
import { NotATranscript } from './file-error.ts'
import { joinedLines } from './joined-lines.ts'
import { clientOfName, isCompressedPath } from './transcript-names.ts'
import { UnpackedChunks } from './unpacked-chunks.ts'

/** The first line of most files is shorter; of few, all of the first lines hold an image or are damaged. */
const HEAD_BYTES = [8 * 1024, 1024 * 1024] as const
const LINES = /\.jsonl(?:\.(?:zst|gz))?$/

/** Creates the decoder of the client that wrote a file. Throws `NotATranscript` if none of them did. */
export async function createFileDecoder(
  path: string,
  file: FileHandle,
  facts: DecoderFacts,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): Promise<TranscriptDecoder> {
  return joinedLines((await clientOfFile(path, file, clients)).createDecoder(path, nodeDisk, facts))
}

/** Returns the parts of a file that is one JSON object; null for a file with lines. */
export async function documentOf(path: string, file: FileHandle): Promise<DocumentParts | null> {
  if (LINES.test(path)) return null
  const { documentOf: partsOf } = await clientOfFile(path, file, TRANSCRIPT_CLIENTS)
  return partsOf?.(path, await headOf(path, file, HEAD_BYTES[0])) ?? null
}

/** Finds the client that wrote a file: by a name that only it gives, or else by how the file begins. */
export async function clientOfFile(
  path: string,
  file: FileHandle,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): Promise<TranscriptClient> {
  const byName = clientOfName(path, clients)
  if (byName !== clients.at(-1)) return byName
  let head = ''
  for (const bytes of HEAD_BYTES) {
    head = await headOf(path, file, bytes)
    // Nothing was written yet.
    if (head === '') return byName
    const found = clients.find(({ beginsLike }) => beginsLike?.(head) === true)
    if (found !== undefined) return found
  }
  if (head.startsWith('SQLite format 3')) throw new NotATranscript('aspy restore reads it, if it is a backup of Aspy')
  const isJsonLines = head.split('\n').some((line) => isObject(parseJson(line)))
  throw new NotATranscript(isJsonLines ? 'another program wrote its lines' : 'none of its lines is a JSON object')
}

async function headOf(path: string, file: FileHandle, bytes: number): Promise<string> {
  if (isCompressedPath(path)) {
    for await (const chunk of new UnpackedChunks(file).chunks()) return chunk.toString('utf8', 0, bytes)
    throw new NotATranscript('it cannot be unpacked')
  }
  const head = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(head, 0, bytes, 0)
  return head.toString('utf8', 0, bytesRead)
}
