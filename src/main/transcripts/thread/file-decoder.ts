import type { FileHandle } from 'node:fs/promises'
import type { DecoderFacts, DocumentParts, TranscriptClient } from '../../decode/client/transcript-client.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'
import type { TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import { nodeDisk } from '../node-disk.ts'
import { clientOfName, isCompressedPath } from './transcript-names.ts'

const HEAD_BYTES = 4096
const LINES = /\.jsonl(?:\.zst)?$/

/** Creates the decoder of the client that wrote a file. */
export async function createFileDecoder(
  path: string,
  file: FileHandle,
  facts: DecoderFacts,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): Promise<TranscriptDecoder> {
  return (await clientOfFile(path, file, clients)).createDecoder(path, nodeDisk, facts)
}

/** Returns the parts of a file that is one JSON object; null for a file with lines. */
export async function documentOf(path: string, file: FileHandle): Promise<DocumentParts | null> {
  if (LINES.test(path)) return null
  const { documentOf: partsOf } = await clientOfFile(path, file, TRANSCRIPT_CLIENTS)
  return partsOf?.(path, await headOf(file)) ?? null
}

/** A file may have any name if it was named itself, so its beginning counts, too. */
async function clientOfFile(
  path: string,
  file: FileHandle,
  clients: readonly TranscriptClient[],
): Promise<TranscriptClient> {
  const byName = clientOfName(path, clients)
  if (byName !== clients.at(-1)) return byName
  if (isCompressedPath(path)) return clients.find(({ isCompressing }) => isCompressing) ?? byName
  const text = await headOf(file)
  return clients.find(({ beginsLike }) => beginsLike?.(text) === true) ?? byName
}

async function headOf(file: FileHandle): Promise<string> {
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
  return head.toString('utf8', 0, bytesRead)
}
