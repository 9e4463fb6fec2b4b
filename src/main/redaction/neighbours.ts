import type { AnyDraft, EventDraft } from '../decode/draft.ts'

type TextDraft = EventDraft<'assistant_text'> | EventDraft<'thinking'>

const isText = (draft: AnyDraft | undefined): draft is TextDraft =>
  draft?.kind === 'assistant_text' || draft?.kind === 'thinking'

/**
 * Redacts the texts of adjacent drafts of the same kind and message as one text. Also updates the end of the turn, which
 * repeats the last of them.
 */
export function redactNeighbours(
  drafts: readonly AnyDraft[],
  joined: (texts: readonly string[]) => string[],
): AnyDraft[] {
  const out = [...drafts]
  const redacted = new Map<string, string>()
  for (let start = 0; start < drafts.length;) {
    const first = drafts[start]
    let end = start + 1
    while (isText(first) && isSameRun(first, drafts[end])) end += 1
    if (end - start > 1) {
      const run = drafts.slice(start, end).filter(isText)
      joined(run.map(({ payload }) => payload.text)).forEach((text, index) => {
        const draft = run[index]
        if (!draft || text === draft.payload.text) return
        redacted.set(draft.payload.text, text)
        out[start + index] = { ...draft, payload: { ...draft.payload, text } } as TextDraft
      })
    }
    start = end
  }
  return redacted.size === 0 ? out : out.map((draft) => withLastText(draft, redacted))
}

function withLastText(draft: AnyDraft, redacted: ReadonlyMap<string, string>): AnyDraft {
  if (draft.kind !== 'turn_ended') return draft
  const text = redacted.get(draft.payload.last_text ?? '')
  if (text === undefined) return draft
  const { text_identity: identity } = draft
  return {
    ...draft,
    payload: { ...draft.payload, last_text: text },
    ...(identity ? { text_identity: { ...identity, text } } : {}),
  }
}

const isSameRun = (first: TextDraft, next: AnyDraft | undefined): boolean =>
  isText(next) && next.kind === first.kind && next.payload.message_id === first.payload.message_id
