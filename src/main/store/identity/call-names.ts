import { RecentlyUsed } from '../../base/recently-used.ts'
import type { AspyEvent } from '../../../shared/event.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../decode/draft.ts'
import { isUniqueId } from '../../decode/unique-id.ts'
import { eventOfRow, type Log } from '../log/log.ts'
import type { Fetch } from '../log/payload.ts'
import { haveConflictingKeys } from './key-forms.ts'
import type { Keys } from './keys.ts'

/** Calls that a source named last, since their results follow. */
const CALLS_KEPT = 1000
/** Calls of one id in a session that get their own names. */
const MAX_CALLS = 2000
const REFERENCE = /^(?:call|result):(.+)$/

/** The last calls of one id that a source told of, all in one answer. */
interface NamedCalls {
  readonly answer: string | undefined
  /** In their order, without those that have a result; never empty. */
  readonly open: string[]
}

/** The API's own ids are unique, however long. */
const isUnique = (id: string): boolean => isUniqueId(id) || /^(?:srv|mcp)?toolu_/.test(id)

/** Returns the part of a key or parent that names a call by an id that is not unique; null for others. */
function shortIdIn(key: string): string | null {
  const id = REFERENCE.exec(key)?.[1]
  return id === undefined || isUnique(id) ? null : id
}

/** True if a call with this id may have the name in this session. */
const isNameOf = (name: string, session: string, id: string): boolean =>
  name === id || name === `${session}:${id}` || name.startsWith(`${session}:${id}#`)

/** True if a draft's call may be a stored one, whose id may have been extended. */
export const isSameCall = (draft: EventDraft<'tool_call'>, { payload }: AspyEvent<'tool_call'>): boolean =>
  isNameOf(payload.call_id, draft.session_id, draft.payload.call_id)

/**
 * Names calls whose model numbers them: from 0 in each session (`functions.Bash:0`), or in each answer (`list_dir:0`).
 * Such an id gets its session where another session has it, and its number from the second call on. Other ids stay.
 */
export function createCallNames(log: Log, keys: Keys, fetch: Fetch) {
  const last = new RecentlyUsed<string, NamedCalls>(CALLS_KEPT)
  const memoryOf = ({ source, session_id, agent_id }: AnyDraft, id: string) =>
    JSON.stringify([source, session_id, agent_id, id])

  /** Returns the name of the nth call of a session with this id. */
  function nameOf({ session_id }: AnyDraft, id: string, n: number): string {
    if (n > 1) return `${session_id}:${id}#${n}`
    const known = keys.findByKey(naturalKey.call(id))
    const isOurs = known === undefined || log.byId(known.id)?.session_id === session_id
    return isOurs ? id : `${session_id}:${id}`
  }

  /** Returns the name of a call: of the event that it reports, or the next that is free. */
  function nameOfCall(draft: AnyDraft, id: string): string {
    const others = draft.keys.filter((key) => shortIdIn(key) === null)
    for (const key of others) {
      const known = keys.findByKey(key)
      const names = known === undefined ? [] : keys.keysOf(known.uuid).flatMap((of) => REFERENCE.exec(of)?.[1] ?? [])
      const name = names.find((of) => isNameOf(of, draft.session_id, id))
      if (name !== undefined) return name
    }
    let found: string | null = null
    for (let n = 1; n <= MAX_CALLS; n += 1) {
      const name = nameOf(draft, id, n)
      const known = keys.findByKey(naturalKey.call(name))
      if (known === undefined) return found ?? name
      if (haveConflictingKeys(others, keys.keysOf(known.uuid)) || !mayBe(draft, known.id)) continue
      // A hook tells of the newest call, other sources tell of all in their order.
      if (draft.source !== 'hook') return name
      found = name
    }
    return found ?? nameOf(draft, id, MAX_CALLS)
  }

  /** True for the same input, unless the source has told of the known one: only histories and hooks tell of a call twice. */
  function mayBe(draft: AnyDraft, id: number): boolean {
    const row = log.byId(id)
    const known = row === undefined ? undefined : eventOfRow(row, fetch)
    if (row === undefined || draft.kind !== 'tool_call' || known?.kind !== 'tool_call') return false
    const isRetold = draft.source === 'hook' || draft.payload.seen_in_history === true
    if (!isRetold && log.sightingsOf(row).some(({ source }) => source === draft.source)) return false
    return (
      draft.payload.tool_name === known.payload.tool_name &&
      JSON.stringify(draft.payload.input) === JSON.stringify(known.payload.input)
    )
  }

  function remember(draft: AnyDraft, id: string, name: string): void {
    const answer = draft.answer?.own
    const known = last.get(memoryOf(draft, id))
    if (answer === undefined || known?.answer !== answer) last.set(memoryOf(draft, id), { answer, open: [name] })
    else if (!known.open.includes(name)) known.open.push(name)
  }

  /**
   * Returns the call that a draft refers to: the last that its source named, or else the newest. The results of calls
   * that one answer gave the same id come in the order of the calls.
   */
  function nameOfReference(draft: AnyDraft, id: string): string {
    const open = last.get(memoryOf(draft, id))?.open ?? []
    const named = draft.kind === 'tool_result' && open.length > 1 ? open.shift() : open[0]
    if (named !== undefined) return named
    let n = 1
    while (n < MAX_CALLS && keys.findByKey(naturalKey.call(nameOf(draft, id, n + 1))) !== undefined) n += 1
    return nameOf(draft, id, n)
  }

  return {
    /** Returns the draft with the names of its call and of those that it refers to. */
    named(draft: AnyDraft): AnyDraft {
      if (![...draft.keys, ...draft.parents].some((key) => shortIdIn(key) !== null)) return draft
      const names = new Map<string, string>()
      const own = draft.kind === 'tool_call' && !isUnique(draft.payload.call_id) ? draft.payload.call_id : null
      if (own !== null) {
        names.set(own, nameOfCall(draft, own))
        remember(draft, own, names.get(own) ?? own)
      }
      const renamed = (key: string): string => {
        const id = shortIdIn(key)
        if (id === null) return key
        const name = names.get(id) ?? nameOfReference(draft, id)
        names.set(id, name)
        return key.slice(0, key.indexOf(':') + 1) + name
      }
      const given = { ...draft, keys: draft.keys.map(renamed), parents: draft.parents.map(renamed) }
      if (given.kind !== 'tool_call' && given.kind !== 'tool_result' && given.kind !== 'agent_started') return given
      const name = given.payload.call_id === null ? undefined : names.get(given.payload.call_id)
      return name === undefined ? given : ({ ...given, payload: { ...given.payload, call_id: name } } as AnyDraft)
    },
  }
}
