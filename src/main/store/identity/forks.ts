import { compactionKeyIn } from '../../decode/compaction-key.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Keys } from './keys.ts'
import { createWireSessions } from './wire-sessions.ts'

/**
 * A fork starts with the history of the session it was made from, under its own session id. Its first request shows that
 * history, which is known already. These drafts are marked with the session they were copied from.
 */
export type Forks = ReturnType<typeof createForks>

/** Bounds the sessions with the same prompt that are compared, newest first. */
const MAX_CANDIDATES = 20
/** Bounds the calls that are looked up to find their session. */
const MAX_CALLS = 50
const WORDS_LOOKED_FOR = 12

/** A deleted session is never the origin of a fork. */
export function createForks(db: WritableDb, keys: Keys, isDeleted: (session: string) => boolean) {
  const inWireSessions = createWireSessions(db, keys)
  const isKnown = db.prepare<[string], number>(
    "SELECT 1 FROM events INDEXED BY events_requests WHERE kind = 'model_request' AND session_id = ? LIMIT 1",
  )
  const sessionsContaining = db
    .prepare<[string, string], string>(
      `SELECT p.session_id FROM prompts_fts f JOIN user_prompts p ON p.id = f.rowid
       WHERE prompts_fts MATCH ? AND p.session_id <> ? ORDER BY f.rowid DESC LIMIT ${MAX_CANDIDATES}`,
    )
    .pluck()

  /** Returns the sessions that made the calls. Call ids are unique, so this is certain. */
  function madeIn(session: string, history: readonly AnyDraft[]): string[] {
    const calls = history.filter(({ kind }) => kind === 'tool_call').slice(-MAX_CALLS)
    const found = calls.flatMap((draft) => keys.findByKey(draft.keys[0] ?? '')?.session_id ?? [])
    return [...new Set(found)].filter((other) => other !== session)
  }

  /** Returns sessions with the words of the first or last prompt; the caller compares their texts. */
  function sessionsWith(session: string, history: readonly AnyDraft[]): string[] {
    const prompts = history.flatMap((draft) => (draft.kind === 'user_prompt' ? [draft.payload.text] : []))
    return [prompts.at(0) ?? '', prompts.at(-1) ?? ''].flatMap((text) => {
      const words = text.match(/[\p{L}\p{N}]+/gu)?.slice(0, WORDS_LOOKED_FOR) ?? []
      return words.length === 0 ? [] : sessionsContaining.all(`"${words.join(' ')}"`, session)
    })
  }

  /**
   * Returns the session with all prompts and answers of the history, or null. A command may be unknown: a session shows
   * those of its client, such as the one that made the fork, only with its own next request. It is given to it then.
   */
  function originOf(session: string, history: readonly AnyDraft[]): string | null {
    const made = madeIn(session, history)
    const texts = history.filter(({ kind }) => kind === 'user_prompt' || kind === 'assistant_text')
    let best: { session: string; heard: number } | null = null
    for (const candidate of new Set([...made, ...sessionsWith(session, history)])) {
      if (isDeleted(candidate)) continue
      const heard = new Set(texts.filter((draft) => keys.isTextOf(candidate, draft)))
      const isWhole = hasBoth([...heard]) && texts.every((draft) => heard.has(draft) || isCommand(draft))
      if (!made.includes(candidate) && !isWhole) continue
      if (best === null || heard.size > best.heard) best = { session: candidate, heard: heard.size }
    }
    return best?.session ?? null
  }

  return {
    /** Returns the drafts, those of a copied history with `copied_from`. */
    named(given: readonly AnyDraft[]): readonly AnyDraft[] {
      const drafts = withOriginals(inWireSessions(given), (key) => keys.findByKey(key) !== undefined)
      const histories = new Map<string, AnyDraft[]>()
      for (const draft of drafts) {
        if (!isOfHistory(draft)) continue
        const history = histories.get(draft.session_id)
        if (history) history.push(draft)
        else histories.set(draft.session_id, [draft])
      }
      if (histories.size === 0) return drafts
      const origins = new Map<string, string>()
      for (const [session, history] of histories) {
        if (!history.some(({ kind }) => kind === 'user_prompt') || isKnown.get(session)) continue
        const origin = originOf(session, history)
        if (origin !== null) origins.set(session, origin)
      }
      if (origins.size === 0) return drafts
      return drafts.flatMap((draft): AnyDraft[] => {
        const origin = isOfHistory(draft) ? origins.get(draft.session_id) : undefined
        if (origin === undefined) return [draft]
        const copied = { ...draft, copied_from: origin }
        if (isCommand(draft) || draft.kind === 'notification') return [{ ...draft, session_id: origin }, copied]
        if (draft.kind !== 'compaction') return [copied]
        return [{ ...draft, keys: [...draft.keys, ...draft.keys.map((key) => compactionKeyIn(origin, key))] }]
      })
    },
  }
}

/**
 * A line that a fork copied is its original's. If the original was not read yet, the fact is given to it first, and the
 * fork's draft then becomes a sighting, as it would in the other order.
 */
function withOriginals(drafts: readonly AnyDraft[], isKnown: (key: string) => boolean): readonly AnyDraft[] {
  if (!drafts.some((draft) => draft.copied_from !== undefined && draft.source === 'transcript')) return drafts
  const inBatch = new Set<string>()
  return drafts.flatMap((draft) => {
    const { copied_from: origin, ...rest } = draft
    const isNew = !draft.keys.some((key) => inBatch.has(key) || isKnown(key))
    for (const key of draft.keys) inBatch.add(key)
    if (origin === undefined || draft.source !== 'transcript' || draft.only_as_sighting || !isNew) return [draft]
    const keys =
      draft.kind === 'compaction'
        ? [...draft.keys, ...draft.keys.filter(isCompactionKey).map((key) => compactionKeyIn(origin, key))]
        : draft.keys
    return [{ ...rest, keys, session_id: origin } as AnyDraft, draft]
  })
}

const hasBoth = (texts: readonly AnyDraft[]): boolean => new Set(texts.map(({ kind }) => kind)).size === 2

const isCommand = (draft: AnyDraft): boolean =>
  draft.kind === 'user_prompt' && ['command', 'local_command', 'shell'].includes(draft.payload.entered_as ?? '')

const isCompactionKey = (key: string): boolean => key.startsWith('compaction:')

function isOfHistory(draft: AnyDraft): boolean {
  if (draft.source !== 'wire' || draft.agent_id !== null) return false
  return draft.kind === 'compaction' || 'seen_in_history' in draft.payload
}
