import { basename, join, sep } from 'node:path'
import type { TranscriptClient } from '../../transcript-client.ts'
import { CLAUDE_CODE } from '../client.ts'
import { agentOf, createAgentFiles } from './agent-files.ts'
import { figuresOf } from './figure-lines.ts'
import { sessionOfPath } from './line-place.ts'
import { promptHistoryDraft } from './prompt-history.ts'
import { runningIn } from './running-notes.ts'
import { createTranscriptDecoder } from './transcript-decoder.ts'

/** Claude Code keeps a file for each session, and one for each of its agents. */
export const claudeCodeTranscripts: TranscriptClient = {
  name: CLAUDE_CODE,
  /** CLAUDE_CONFIG_DIR may name several, separated by commas. */
  homes(env, userHome) {
    const named = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((folder) => folder.trim())
    return [...named.filter((folder) => folder !== ''), join(userHome, '.config', 'claude'), join(userHome, '.claude')]
  },
  folders: (home) => [join(home, 'projects')],
  hasName: (path) => basename(path).endsWith('.jsonl'),
  createDecoder: (path, disk, facts) =>
    createTranscriptDecoder({ ...facts, ...agentOf(path, disk), path, hasAgentFile: createAgentFiles(path, disk) }),
  sessionOfPath,
  isOfSession: (path, { session_id }) =>
    basename(path) === `${session_id}.jsonl` || path.includes(`${sep}${session_id}${sep}subagents${sep}`),
  figuresOf,
  promptHistory: { path: (home) => join(home, 'history.jsonl'), draft: promptHistoryDraft },
  runningIn,
}
