import { basename, join, sep } from 'node:path'
import type { JsonObject } from '../../../../../shared/event.ts'
import { isObject, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { parseJson } from '../../../json-access.ts'
import { objectsIn } from '../../../whole-records.ts'
import type { TranscriptClient, TranscriptDisk } from '../../transcript-client.ts'
import { CLAUDE_CODE } from '../client.ts'
import { agentOf, createAgentFiles } from './agent-files.ts'
import { figuresOf } from './figure-lines.ts'
import { sessionOfPath } from './line-place.ts'
import { promptHistoryDraft } from './prompt-history.ts'
import { runningIn } from './running-notes.ts'
import { createTranscriptDecoder } from './transcript-decoder.ts'

/** A first line that is longer than what is looked at. Others have a list of all messages in one line. */
const LONG_LINE = /^\uFEFF?\{(?![^\n]*"messages":\s*\[)[^\n]*"(?:parentUuid|sessionId)":[^\n]*$/

/** True for a line of any version. Clients that copy the format put the words in `parts`. */
function isOwnLine(line: JsonObject): boolean {
  const type = stringOf(line['type'])
  if (type === null) return false
  // What print mode writes (`--output-format stream-json`) has the same messages, and other names beside them.
  if (type === 'user' || type === 'assistant')
    return 'content' in objectOf(line['message']) && ('sessionId' in line || !('session_id' in line))
  return (
    ['sessionId', 'leafUuid', 'snapshot'].some((name) => name in line) && !('message' in line && type === 'message')
  )
}

/** Claude Code's own default for `cleanupPeriodDays`. */
const KEPT_DAYS = 30
const MAX_SETTINGS_BYTES = 1024 * 1024

function keptDays(home: string, disk: TranscriptDisk): number | null {
  try {
    const set = objectOf(JSON.parse(disk.head(join(home, 'settings.json'), MAX_SETTINGS_BYTES) ?? '{}'))
    const days = set['cleanupPeriodDays'] ?? KEPT_DAYS
    return typeof days === 'number' && days > 0 ? days : null
  } catch {
    // The client does not read such settings either.
    return KEPT_DAYS
  }
}

/** Claude Code keeps a file for each session, and one for each of its agents. */
export const claudeCodeTranscripts: TranscriptClient = {
  name: CLAUDE_CODE,
  /** CLAUDE_CONFIG_DIR may name several, separated by commas. */
  homes(env, userHome) {
    const named = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((folder) => folder.trim())
    return [...named.filter((folder) => folder !== ''), join(userHome, '.config', 'claude'), join(userHome, '.claude')]
  },
  folders: (home) => [join(home, 'projects')],
  keptDays,
  hasName: (path) => basename(path).endsWith('.jsonl'),
  beginsLike: (head) => objectsIn(head).some(isOwnLine) || (LONG_LINE.test(head) && !isObject(parseJson(head))),
  createDecoder: (path, disk, facts) =>
    createTranscriptDecoder({ ...facts, ...agentOf(path, disk), path, hasAgentFile: createAgentFiles(path, disk) }),
  sessionOfPath,
  isOfSession: (path, { session_id }) =>
    basename(path) === `${session_id}.jsonl` || path.includes(`${sep}${session_id}${sep}subagents${sep}`),
  figuresOf,
  promptHistory: { path: (home) => join(home, 'history.jsonl'), draft: promptHistoryDraft },
  runningIn,
}
