import { maskEmails, maskUpTo, undecidedEmail } from './email-mask.ts'
import { findSecrets, merged } from './find-secrets.ts'
import type { Mark, StreamRedactor } from './redactor.ts'
import { withRepeats } from './repeats.ts'
import { moved, scanInTime, type TextTime } from './scan-in-time.ts'
import { CONTEXT, newScanState, type IsOver, type Scanner, type ScanState, type Span } from './scanner.ts'

/** Maximum length of text that a stream holds back: a tag that is never closed must not block it forever. */
const LONGEST_HOLD = 1_000_000

/** Replaces the spans in a text; returns the text itself if there are none. */
function replaceSpans(text: string, spans: readonly Span[], mark: Mark, from = 0, to = text.length): string {
  if (spans.length === 0) return text.slice(from, to)
  let out = ''
  let done = from
  for (const span of spans) {
    if (span.end <= from) continue
    if (span.start >= to) break
    out += text.slice(done, Math.max(done, span.start)) + (span.replacement ?? mark(span.rule, span.secret))
    done = span.end
  }
  return out + text.slice(done, Math.max(done, to))
}

/** Configures which text is removed and what replaces it. */
export interface TextRules {
  readonly scanner: Scanner
  readonly mark: Mark
  readonly masksEmails: boolean
}

/** Redacts a complete text; also a secret that it repeats where no rule finds it. */
export const redactText = (rules: TextRules, text: string, time: TextTime, isOver: IsOver): string =>
  replaced(rules, text, withRepeats(text, findSecrets(rules.scanner, text, { time, isOver })))

/** Replaces what rules found in a text. */
export function replaced({ mark, masksEmails }: TextRules, text: string, spans: readonly Span[]): string {
  const clean = spans.length === 0 ? text : replaceSpans(text, spans, mark)
  return masksEmails ? maskEmails(clean, (email) => mark('email', email)) : clean
}

/**
 * Redacts neighbouring texts as one and returns the same number. Calls `onSplit` with each part of a secret that was
 * split.
 */
export function redactJoined(
  { scanner, mark, masksEmails }: TextRules,
  texts: readonly string[],
  time: TextTime,
  onSplit: (part: string, span: Span) => void,
): string[] {
  let length = 0
  const starts = texts.map((text) => (length += text.length) - text.length)
  // Each text alone, since its start is a boundary, and all together, for secrets that continue in the next.
  const own = texts.flatMap((text, index) =>
    findSecrets(scanner, text, { time }).map((span) => shifted(span, starts[index] ?? 0)),
  )
  const all = scanInTime(scanner, texts.join(''), { time })
  // A tag that is never closed hides its own text, not the ones after it.
  const found = merged([...own, ...all.filter(({ rule }) => rule !== 'private-unclosed')])
  const spans = withRepeats(texts.join(''), found)
  return texts.map((text, index) => {
    const start = starts[index] ?? 0
    const end = start + text.length
    let out = ''
    let done = start
    for (const span of spans) {
      if (span.end <= start || span.start >= end) continue
      out += text.slice(done - start, Math.max(done, span.start) - start)
      if (span.start >= start) out += span.replacement ?? mark(span.rule, span.secret)
      if (span.replacement === null && (span.start < start || span.end > end))
        onSplit(text.slice(Math.max(start, span.start) - start, Math.min(end, span.end) - start), span)
      done = Math.min(end, span.end)
    }
    out += text.slice(done - start)
    return masksEmails ? maskEmails(out, (email) => mark('email', email)) : out
  })
}

const shifted = (span: Span, by: number): Span => ({ ...span, start: span.start + by, end: span.end + by })

/** Redacts a text that arrives in pieces. Joined, they equal the whole with what rules find in it replaced. */
export function createStream({ scanner, mark, masksEmails }: TextRules, before = ''): StreamRedactor {
  const emails = emailStream(masksEmails ? (email) => mark('email', email) : null)
  let buffer = before.slice(-LONGEST_HOLD)
  // The start of a block is a boundary, as the start of any text.
  let state: ScanState = { ...newScanState(), floor: buffer.length }
  // The buffer before `shown` is context for rules that look back, and for secrets that began in the previous block.
  let shown = buffer.length
  let from = 0

  function take(final: boolean): string {
    const { spans, decided } = scanner.scan(buffer, from, final, state)
    const end = final ? buffer.length : decided
    if (end < shown) return ''
    const out = replaceSpans(buffer, spans, mark, shown, end)
    const cut = Math.max(0, end - CONTEXT)
    buffer = buffer.slice(cut)
    shown = end - cut
    from = shown
    state = moved(state, cut)
    return out
  }

  return {
    push(piece) {
      buffer += piece
      return emails.push(take(buffer.length - shown > LONGEST_HOLD))
    },
    end: () => emails.push(take(true)) + emails.end(),
    endBefore(next, final) {
      const own = buffer.length
      const copy = { ...state, idleUntil: new Map(state.idleUntil) }
      const { spans, decided } = scanner.scan(buffer + next, from, final || next.length > LONGEST_HOLD, copy)
      if (decided < own) return null
      return emails.push(replaceSpans(buffer, spans, mark, shown, own)) + emails.end()
    },
    held: () => buffer.slice(Math.max(0, shown - CONTEXT)),
  }
}

function emailStream(mark: ((email: string) => string) | null): Pick<StreamRedactor, 'push' | 'end'> {
  if (mark === null) return { push: (piece) => piece, end: () => '' }
  let held = ''
  const take = (upTo: number) => {
    const { out, end } = maskUpTo(held, upTo, mark)
    held = held.slice(end)
    return out
  }
  return {
    push(piece) {
      held += piece
      return take(undecidedEmail(held))
    },
    end: () => take(held.length),
  }
}
