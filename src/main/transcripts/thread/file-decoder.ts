import { existsSync } from 'node:fs'
import { readFile, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createTranscriptDecoder } from '../../decode/client/claude-code/transcripts/transcript-decoder.ts'
import { createRolloutDecoder } from '../../decode/client/codex/rollouts/rollout-decoder.ts'
import type { TranscriptContext, TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import { isFileError } from './file-error.ts'
import { createThreadFiles } from './thread-files.ts'
import { isCompressedPath, isRolloutPath } from './transcript-names.ts'

const MAX_META_BYTES = 1024 * 1024
const HEAD_BYTES = 4096
/** How a rollout begins that has another name. */
const ROLLOUT_HEAD =
  /^\uFEFF?\{"timestamp":"[^"]{1,40}",(?:"ordinal":\d{1,15},)?"type":"(?:session_meta|turn_context|response_item|event_msg)"/

/** Facts and callbacks that every decoder takes. */
export type DecoderFacts = Pick<TranscriptContext, 'hash' | 'onUnknownField' | 'fileTime'>

/** Creates the decoder of the client that wrote a file. */
export async function createFileDecoder(
  path: string,
  file: FileHandle,
  facts: DecoderFacts,
): Promise<TranscriptDecoder> {
  if (isRolloutPath(path) || isCompressedPath(path) || (await beginsAsRollout(file))) {
    const threads = createThreadFiles(path)
    return createRolloutDecoder({ ...facts, path, hasThread: threads.has, sessionOfThread: threads.sessionOf })
  }
  return createTranscriptDecoder({ ...facts, ...(await agentOf(path)), path, hasAgentFile: createAgentFiles(path) })
}

async function beginsAsRollout(file: FileHandle): Promise<boolean> {
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
  return ROLLOUT_HEAD.test(head.toString('utf8', 0, bytesRead))
}

/** Returns which agents have a file: below the session's folder, or next to the session's file (2.0.28). */
function createAgentFiles(path: string): (agentId: string) => boolean {
  const known = new Map<string, boolean>()
  return (agentId) => {
    const name = `agent-${basename(agentId)}.jsonl`
    const has =
      known.get(agentId) ??
      (existsSync(join(path.replace(/\.jsonl$/, ''), 'subagents', name)) || existsSync(join(dirname(path), name)))
    known.set(agentId, has)
    return has
  }
}

const AGENT_FILE = /^agent-(.+)\.jsonl$/

/** A subagent's own file has its metadata in `agent-<id>.meta.json` next to it. */
async function agentOf(path: string): Promise<Pick<TranscriptContext, 'isAgentFile'>> {
  const agentId = AGENT_FILE.exec(basename(path))?.[1]
  return agentId === undefined ? {} : { isAgentFile: { agentId, meta: await readMeta(path) } }
}

async function readMeta(path: string): Promise<unknown> {
  const metaPath = path.replace(/\.jsonl$/, '.meta.json')
  try {
    const { size } = await stat(metaPath)
    return size > MAX_META_BYTES ? null : JSON.parse(await readFile(metaPath, 'utf8'))
  } catch (error) {
    // Older clients write none, and a broken one is ignored.
    if (isFileError(error) || error instanceof SyntaxError) return null
    throw error
  }
}
