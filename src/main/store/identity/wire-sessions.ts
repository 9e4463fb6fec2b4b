import { RecentlyUsed } from '../../base/recently-used.ts'
import { compactionKeyIn } from '../../decode/compaction-key.ts'
import { PROMPT_WINDOW_MS } from '../../decode/draft-base.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Keys } from './keys.ts'

/** Sessions of transcripts whose place is remembered. */
const MAX_SESSIONS = 500

/**
 * Gives the facts of a transcript to the session in which the wire recorded them, if the client named none there: by an
 * answer, a call or an agent that both have, or else by a prompt that both have at about the same time.
 */
export function createWireSessions(db: WritableDb, keys: Keys): (drafts: readonly AnyDraft[]) => readonly AnyDraft[] {
  const near = db
    .prepare<[string, string], string>(
      `SELECT DISTINCT session_id FROM events INDEXED BY events_by_kind_time
       WHERE kind = 'user_prompt' AND ts_wall BETWEEN ? AND ? AND session_id LIKE 'unnamed-%'`,
    )
    .pluck()
  const known = new RecentlyUsed<string, string>(MAX_SESSIONS)

  function byKey(draft: AnyDraft): string | undefined {
    const ofAgent = draft.agent_id === null ? [] : [naturalKey.agentStart(draft.agent_id)]
    return [...draft.keys, ...ofAgent].flatMap((key) => keys.findByKey(key)?.session_id ?? []).find(isUnnamed)
  }

  function byPrompt(draft: AnyDraft): string | undefined {
    if (draft.kind !== 'user_prompt') return undefined
    const at = Date.parse(draft.ts_wall)
    const time = (ms: number) => new Date(ms).toISOString()
    return near.all(time(at - PROMPT_WINDOW_MS), time(at + PROMPT_WINDOW_MS)).find((id) => keys.isTextOf(id, draft))
  }

  return (drafts) => {
    if (!drafts.some(({ may_be_unnamed }) => may_be_unnamed === true)) return drafts
    return drafts.map((draft): AnyDraft => {
      if (draft.may_be_unnamed !== true) return draft
      const found = byKey(draft) ?? byPrompt(draft)
      if (found !== undefined) known.set(draft.session_id, found)
      const session = found ?? known.get(draft.session_id)
      if (session === undefined) return draft
      if (draft.kind !== 'compaction') return { ...draft, session_id: session }
      const named = draft.keys.map((key) => (key.startsWith('compaction:') ? compactionKeyIn(session, key) : key))
      return { ...draft, session_id: session, keys: named }
    })
  }
}

const isUnnamed = (sessionId: string): boolean => sessionId.startsWith('unnamed-')
