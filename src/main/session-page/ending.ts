import { shortened } from '../../shared/cut-text.ts'
import { DAY_MS } from '../../shared/time-units.ts'
import { escaped, note } from './html-text.ts'
import { markdownHtml } from './markdown-html.ts'
import type { PageFacts } from './page-facts.ts'
import type { PageTimes } from './page-times.ts'
import { brief, section } from './page-tables.ts'
import { promptBody } from './transcript.ts'
import { promptText, type Row, type Turn } from './turns-of.ts'

/** Characters of the last answer; the transcript has all of it. */
const ANSWER_CHARACTERS = 900
/** They may follow the answer that ends a turn. */
const AFTER_THE_ANSWER: ReadonlySet<string> = new Set(['notification', 'compaction', 'user_prompt'])

/** Shows the whole first prompt, unless the title has all of it. */
export function firstAsked(turns: readonly Turn[], { session }: PageFacts): string {
  const first = turns.flatMap(({ rows }) => rows).find(isAsked)
  const text = first === undefined ? '' : (promptText(first.item) ?? '').trim()
  if (text === '' || text === session.title) return ''
  return section('What was asked first', `<div class="asked">${promptBody(text)}</div>`)
}

/** Says how the session ended: its last prompt with its answer or without one, and whether it was open at `now`. */
export function ending(turns: readonly Turn[], { session }: PageFacts, times: PageTimes, now: number): string {
  const turn = turns.findLast(({ rows: own }) => own.some(isAsked))
  const rows = turns.flatMap(({ rows: own }) => own)
  const at = rows.findLastIndex(isAsked)
  const asked = rows[at]
  const isOpen = (session.ended_at ?? null) === null && now - Date.parse(session.last_event_at) < DAY_MS
  const open = isOpen
    ? note(
        `The session was still open when this page was made, ${times.moment(new Date(now).toISOString())}; more may have followed.`,
      )
    : ''
  if (asked === undefined || turn === undefined) return open === '' ? '' : section('How it ended', open)
  const after = rows.slice(at + 1)
  const answerAt = after.findLastIndex((row) => textOf(row) !== null)
  const isFinal = answerAt >= 0 && after.slice(answerAt + 1).every(({ kind, item }) => isEvent(kind, item.event.kind))
  const prompt = `Last prompt: <a href="#turn-${turn.id}">${escaped(brief(promptText(asked.item) ?? ''))}</a>`
  const answer = after[answerAt]
  const text = answer === undefined ? null : textOf(answer)
  const said =
    answer === undefined || text === null || !isFinal
      ? note(after.length === 0 ? 'The last prompt has no answer.' : 'The last prompt has no final answer.')
      : markdownHtml(opening(text))
  return section('How it ended', `<p class="soft" dir="auto">${prompt}</p>${said}${open}`)
}

/** Returns the first lines of an answer. */
function opening(text: string): string {
  const end = text.lastIndexOf('\n', ANSWER_CHARACTERS)
  return text.length <= ANSWER_CHARACTERS || end <= 0
    ? shortened(text, ANSWER_CHARACTERS)
    : `${text.slice(0, end)}\n\n…`
}

const isEvent = (kind: Row['kind'], event: string): boolean => kind === 'event' && AFTER_THE_ANSWER.has(event)

/** Checks for a prompt that the model answers, which most commands are not. */
function isAsked({ kind, item }: Row): boolean {
  const { entered_as: way } = item.event.payload as { readonly entered_as?: unknown }
  return kind === 'event' && promptText(item) !== null && (way === undefined || way === 'plan')
}

function textOf({ kind, item }: Row): string | null {
  const { text } = item.event.payload as { readonly text?: unknown }
  const isAnswer = kind === 'event' && item.event.kind === 'assistant_text'
  return isAnswer && typeof text === 'string' && text.trim() !== '' ? text : null
}
