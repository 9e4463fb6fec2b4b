import type { AnyEvent } from '../../../shared/event.ts'
import { firstLine, type SessionRow } from './session-row.ts'

/** The rank of a title that comes from a prompt. */
export const PROMPT_RANK = 1

/** Names that the client's own title may have; the person's own title ranks higher. */
const TITLE_RANK: { readonly [name: string]: number } = {
  title: 2,
  ai_title: 2,
  'ai-title': 2,
  summary: 2,
  custom_title: 3,
  'custom-title': 3,
}

/** A title that comes from a prompt, and the time of the prompt. */
export interface PromptTitle {
  readonly title: string
  readonly at: string
}

const PLAN = 'Implement the following plan:'
/**
 * A slash command without a sentence behind it, a `!` command or a `#` note. A path that begins with a slash is not a
 * command, and what `/compact` should keep is not what a session is for.
 */
const COMMAND = /^(?:!|#\S|\/compact\s|\/[a-z][\w:-]*(?:\s+\S+){0,2}\s*$)/i

/** How much a title says about a session: a command the least, then a single word or number ("push", "2"). */
const worth = (title: string): number => (COMMAND.test(title) ? 0 : /^[a-z\d]+[.!?)]*$/i.test(title) ? 1 : 2)

/** True for a title that any prompt of several words is better than. */
export const isLesserTitle = (title: string): boolean => worth(title) < 2

/** Returns the title that a prompt provides, with the heading of an accepted plan; null if it has no text. */
export function titleOf(text: string, at: string): PromptTitle | null {
  const title = firstLine(text)
  if (title === '') return null
  if (title !== PLAN) return { title, at }
  const heading = firstLine(text.slice(text.indexOf(PLAN) + PLAN.length)).replace(/^#+ */, '')
  return { title: firstLine(`${PLAN} ${heading}`), at }
}

/** The earliest of those that say the most. */
export function betterTitle(known: PromptTitle | null, next: PromptTitle | null): PromptTitle | null {
  if (known === null || next === null) return known ?? next
  const better = worth(next.title) - worth(known.title) || Number(next.at < known.at)
  return better > 0 ? next : known
}

/** The earliest prompt's first line, until the client or the person gives a title. */
export function learnTitle(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'user_prompt') {
    if (row.title_rank > PROMPT_RANK) return
    const known = row.title === null || row.title_at === null ? null : { title: row.title, at: row.title_at }
    const found = betterTitle(known, titleOf(event.payload.text, event.ts_wall))
    if (found !== null) Object.assign(row, { title: found.title, title_rank: PROMPT_RANK, title_at: found.at })
  } else if (event.kind === 'state_change' && typeof event.payload.to === 'string') {
    const rank = TITLE_RANK[event.payload.name] ?? 0
    const title = firstLine(event.payload.to)
    const isBetter = rank > row.title_rank || (rank === row.title_rank && event.ts_wall >= (row.title_at ?? ''))
    // A transcript may be read later than what it says was recorded.
    if (rank > PROMPT_RANK && isBetter && title !== '')
      Object.assign(row, { title, title_rank: rank, title_at: event.ts_wall })
  }
}
