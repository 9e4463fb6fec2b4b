import { basename, join } from 'node:path'
import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { objectsIn } from '../../../whole-records.ts'
import { homesOf, type TranscriptClient } from '../../transcript-client.ts'
import { CODEX, codexId } from '../identity.ts'
import { createRolloutDecoder } from './rollout-decoder.ts'
import { createThreadFiles } from './thread-files.ts'
import { rolloutBegan } from './rollout-name.ts'

const ROLLOUT = /^rollout-.*\.json(?:l(?:\.(?:zst|gz))?)?$/
/** Beginning of a rollout that has another name. */
const HEAD =
  /^\uFEFF?\{"timestamp":"[^"]{1,40}",(?:"ordinal":\d{1,15},)?"type":"(?:session_meta|turn_context|response_item|event_msg)"/
/** Beginning of a rollout that is a single object, as before 0.2. */
const DOCUMENT_HEAD = /^\uFEFF?\s*\{\s*"session"\s*:\s*\{\s*"(?:timestamp|id)"\s*:/

const TYPES = ['session_meta', 'turn_context', 'response_item', 'event_msg', 'token_usage_record', 'compacted']

/** True for a line of any version. The first line of the oldest ones has no type but an id, a time and instructions. */
function isRolloutLine(line: JsonObject): boolean {
  const type = stringOf(line['type'])
  if (isObject(line['payload'])) return type !== null && TYPES.includes(type)
  if (type === null) return filledString(line['id']) !== null && 'instructions' in line && 'timestamp' in line
  const parts = listOf(line['content']).map((part) => stringOf(objectOf(part)['type']))
  return type === 'message' && (parts.includes('input_text') || parts.includes('output_text'))
}

const THREAD = /^[0-9a-f-]{32,36}$/

/** Codex keeps a rollout for each thread, and compresses those that it has not used for a week. */
export const codexTranscripts: TranscriptClient = {
  name: CODEX,
  homes: (env, userHome) => homesOf(env['CODEX_HOME'], join(userHome, '.codex')),
  folders: (home) => [join(home, 'sessions'), join(home, 'archived_sessions')],
  hasName: (path) => ROLLOUT.test(basename(path)),
  beginsLike: (head) => HEAD.test(head) || DOCUMENT_HEAD.test(head) || objectsIn(head).some(isRolloutLine),
  documentOf: (path, head) =>
    path.endsWith('.json') || DOCUMENT_HEAD.test(head) ? { head: 'session', list: 'items' } : null,
  createDecoder(path, disk, facts) {
    const threads = createThreadFiles(path, disk)
    return createRolloutDecoder({
      ...facts,
      path,
      hasThread: threads.has,
      sessionOfThread: threads.sessionOf,
      linesOfThread: threads.linesOf,
    })
  },
  isOfSession(path, { session_id, agent_id }) {
    const threads = [session_id, agent_id ?? ''].map((id) =>
      id.startsWith(codexId('')) ? id.slice(codexId('').length) : id,
    )
    return threads.some((thread) => THREAD.test(thread) && basename(path).includes(`-${thread}.json`))
  },
  beganAt: (path) => (ROLLOUT.test(basename(path)) ? rolloutBegan(path) : null),
}
