import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../../json-access.ts'
import type { TranscriptContext } from '../../../transcript-decoder.ts'
import type { TranscriptDisk } from '../../transcript-client.ts'

const MAX_META_BYTES = 1024 * 1024
const AGENT_FILE = /^agent-(.+)\.jsonl$/

/**
 * Creates a test of whether an agent has its own file: below the session's folder, or next to the session's file
 * (2.0.28).
 */
export function createAgentFiles(path: string, disk: TranscriptDisk): (agentId: string) => boolean {
  const known = new Map<string, boolean>()
  return (agentId) => {
    const name = `agent-${basename(agentId)}.jsonl`
    const has =
      known.get(agentId) ??
      (disk.exists(join(path.replace(/\.jsonl$/, ''), 'subagents', name)) || disk.exists(join(dirname(path), name)))
    known.set(agentId, has)
    return has
  }
}

/** A subagent's own file has its metadata in `agent-<id>.meta.json` next to it. Older clients write none. */
export function agentOf(path: string, disk: TranscriptDisk): Pick<TranscriptContext, 'isAgentFile'> {
  const agentId = AGENT_FILE.exec(basename(path))?.[1]
  if (agentId === undefined) return {}
  // A longer file is cut, and ignored like any other invalid one.
  const text = disk.head(path.replace(/\.jsonl$/, '.meta.json'), MAX_META_BYTES)
  return { isAgentFile: { agentId, meta: text === null ? null : (parseJson(text) ?? null) } }
}
