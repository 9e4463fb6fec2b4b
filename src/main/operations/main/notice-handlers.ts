import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { SettingsInForce } from '../../config/settings-in-force.ts'
import type { MainHandlers } from '../../dispatch/handlers.ts'
import { parseJsonObject } from '../../dispatch/json-object.ts'
import { afterCompaction } from '../../notices/after-compaction.ts'
import type { FileWatch } from '../../file-watch/host/file-watch.ts'
import type { RecorderHost } from '../../recorder/host/recorder-host.ts'
import type { Read } from '../../session-page/page-facts.ts'

export interface NoticeHandlerParts {
  readonly recorder: Pick<RecorderHost, 'hook' | 'call'>
  readonly settings: Pick<SettingsInForce, 'config'>
  /** Counts the recorded texts of a session; null if recording is off. */
  readonly recordedCounts: (sessionId: string) => Promise<OperationOutput<'sessions.kept'> | null>
  /** Runs a reading operation with a reader's rights. */
  readonly read: Read
  /** Looks at the files around commands. */
  readonly fileWatch: Pick<FileWatch, 'hook'>
}

type NoticeHandlers = Pick<MainHandlers, 'hooks.post' | 'notices.session_start' | 'notices.give'>

/** Tokens of the texts that a hook hands to a model: Claude Code passes on at most 10,000 characters. */
const BUDGET = 2000
const TITLE = 'Earlier texts that the user chose in Aspy for you to know:'

/** Creates the handlers of hooks, and of what their answers hand to a model. */
export function createNoticeHandlers({
  recorder,
  settings,
  recordedCounts,
  read,
  fileWatch,
}: NoticeHandlerParts): NoticeHandlers {
  /** Texts that wait for the next hook of a session that can hand them over, by its ID. */
  const waiting = new Map<string, readonly string[]>()

  /** Returns the waiting texts of a session, once. */
  async function takeTexts(session: string): Promise<string | null> {
    const uuids = waiting.get(session)
    if (uuids === undefined) return null
    waiting.delete(session)
    try {
      return (await read('recall.pack', { uuids: [...uuids], title: TITLE, budget: BUDGET })).text
    } catch (error) {
      // All of them were deleted since.
      if (error instanceof AspyError && error.code === 'not_found') return null
      waiting.set(session, uuids)
      throw error
    }
  }

  async function remembered(session_id: string): Promise<string | null> {
    const { text, included } = await read('memories.context', { session_id, budget: BUDGET })
    return included === 0 ? null : text
  }

  return {
    async 'hooks.post'(body) {
      const session = waiting.size === 0 ? null : promptedSession(body)
      recorder.hook(body)
      await fileWatch.hook(body)
      const text = session === null ? null : await takeTexts(session)
      return text === null ? {} : { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text } }
    },
    async 'notices.session_start'(started) {
      if (!settings.config().notices.after_compaction) return { text: null }
      const { session_id: session } = started
      const counts = await recordedCounts(session)
      const note = counts === null ? null : afterCompaction(started, counts)
      const chosen = note === null ? await takeTexts(session) : await remembered(session)
      if (note !== null) waiting.delete(session)
      return { text: [chosen, note].filter((part) => part !== null).join('\n\n') || null }
    },
    async 'notices.give'({ session_id, uuids }) {
      const { id, source } = await read('sessions.get', { session_id })
      for (const uuid of uuids) await recorder.call('memories.add', { uuid })
      const isHooked = source === 'hook'
      if (isHooked) waiting.set(id, [...new Set([...(waiting.get(id) ?? []), ...uuids])])
      return { given: uuids.length, hooked: isHooked }
    },
  }
}

/** Returns the session whose user submitted a prompt; null for any other hook. */
function promptedSession(body: Uint8Array): string | null {
  const { value } = parseJsonObject(new TextDecoder().decode(body))
  const session = value?.['hook_event_name'] === 'UserPromptSubmit' ? value['session_id'] : null
  return typeof session === 'string' ? session : null
}
