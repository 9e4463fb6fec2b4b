import type { AnyDraft } from '../draft.ts'
import type { RequestHistory } from './wire.ts'

/**
 * Distinguishes texts that a conversation has several times and that are known by nothing else: a `!` line that is
 * entered again, or a turn that only the history shows since another program ran it. It is not the equal text that the
 * store knows from the part before, nor the prompt that is asked now. `again` reads the request as if no part of it
 * were known.
 */
export function withEarlierTexts(
  drafts: readonly AnyDraft[],
  history: RequestHistory,
  again: (whole: RequestHistory) => readonly AnyDraft[],
): readonly AnyDraft[] {
  if (!drafts.some(isOfAnyTime)) return drafts
  const now = new Set(drafts.flatMap((draft) => (isOfAnyTime(draft) ? [] : textOf(draft))))
  const [known, fresh] = [new Map<string, number>(), new Set(drafts.flatMap(({ keys }) => keys))]
  const { knownMessages, previousRequestUuid: _, previousMessages: __, ...rest } = history
  const whole = { ...rest, knownMessages: 0, previousRequestUuid: null }
  for (const draft of knownMessages === 0 ? [] : again(whole))
    if (!draft.keys.some((key) => fresh.has(key)))
      for (const text of textOf(draft)) known.set(text, (known.get(text) ?? 0) + 1)
  return drafts.map((draft) => {
    const [text = ''] = textOf(draft)
    const { text_identity: identity } = draft
    if (!isOfAnyTime(draft) || identity === undefined) return draft
    const [earlier, isAskedAgain] = [known.get(text) ?? 0, 'seen_in_history' in draft.payload && now.has(text)]
    if (earlier === 0 && !isAskedAgain) return draft
    return { ...draft, text_identity: { ...identity, earlier, ...(isAskedAgain ? { is_answered: true } : {}) } }
  })
}

const isOfAnyTime = ({ text_identity: identity }: AnyDraft): boolean => identity?.within_ms === null

const textOf = ({ kind, text_identity: identity }: AnyDraft): readonly string[] =>
  identity === undefined ? [] : [`${kind} ${identity.text}`]
