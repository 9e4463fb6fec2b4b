import { RecentlyUsed } from '../../base/recently-used.ts'
import { compactCommandKey } from '../../decode/compaction-key.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { KnownEvent, Log } from '../log/log.ts'
import { haveConflictingKeys, isOfOneExchange } from './key-forms.ts'
import type { Keys } from './keys.ts'

const SUMMARY = /^compaction:[^#]+$/
const COMMAND = /^command:(compaction:[^#]+)$/
/** Compactions of one summary that get their own names. */
const MAX_EQUAL = 1000
/** Summaries whose last compaction is remembered for each source, since its command may follow. */
const SUMMARIES_KEPT = 500

/** Numbers the compactions of a session whose summaries are equal, from the second on, and the commands that began them. */
export function createCompactionNames(log: Log, keys: Keys) {
  const last = new RecentlyUsed<string, string>(SUMMARIES_KEPT)
  const nameOf = (key: string, n: number) => (n === 1 ? key : `${key}#${n}`)

  /** Returns whether the source told of this compaction already, and not of it at this time. */
  function isToldBy({ source, ts_wall }: AnyDraft, { id }: KnownEvent): boolean {
    const event = log.byId(id)
    if (event === undefined) return false
    const times = log.sightingsOf(event).flatMap((seen) => (seen.source === source ? [seen.seen_at] : []))
    if (event.source === source) times.push(event.ts_wall)
    return times.length > 0 && !times.includes(ts_wall)
  }

  /** Returns the name of the event that a draft reports: the first that may be it, or the next that is free. */
  function nameOfCompaction(draft: AnyDraft, key: string): string {
    const own = draft.keys.filter((each) => each !== key && !isOfOneExchange(each))
    for (const each of own) {
      const known = keys.findByKey(each)
      const name = known && keys.keysOf(known.uuid).find((of) => of === key || of.startsWith(`${key}#`))
      if (name !== undefined) return name
    }
    let newest: string | null = null
    for (let n = 1; n <= MAX_EQUAL; n += 1) {
      const name = nameOf(key, n)
      const known = keys.findByKey(name)
      // The history of a request repeats the newest summary.
      if (known === undefined) return newest ?? name
      if (own.length === 0 && draft.source === 'wire') newest = name
      else if (own.length === 0 ? !isToldBy(draft, known) : !conflicts(draft, own, known)) return name
    }
    return key
  }

  /** One transcript may have a compaction twice, on other lines with the same time. */
  const conflicts = (draft: AnyDraft, own: readonly string[], known: KnownEvent): boolean =>
    haveConflictingKeys(own, keys.keysOf(known.uuid)) && (draft.source === 'wire' || isToldBy(draft, known))

  const memoryOf = ({ source, session_id }: AnyDraft, key: string) => JSON.stringify([source, session_id, key])

  /** Returns the command of the compaction that the source told of last. */
  function commandOf(draft: AnyDraft, command: string): string {
    const key = COMMAND.exec(command)?.[1]
    return key === undefined ? command : compactCommandKey(last.get(memoryOf(draft, key)) ?? key)
  }

  return {
    /** Returns the draft with the key of its compaction, or of the one that its command began. */
    named(draft: AnyDraft): AnyDraft {
      const [key, ...others] = draft.kind === 'compaction' ? draft.keys.filter((each) => SUMMARY.test(each)) : []
      // A fork's copy names the compaction of its original, too.
      if (key !== undefined && others.length === 0 && draft.copied_from === undefined) {
        const name = nameOfCompaction(draft, key)
        last.set(memoryOf(draft, key), name)
        if (name === key) return draft
        const renamed = draft.keys.map((each) => (each === key ? name : each))
        return { ...draft, keys: renamed, parents: draft.parents.map((each) => commandOf(draft, each)) }
      }
      if (!draft.keys.some((each) => COMMAND.test(each))) return draft
      return { ...draft, keys: draft.keys.map((each) => commandOf(draft, each)) }
    },
  }
}
