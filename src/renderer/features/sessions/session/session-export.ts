import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { knownCost } from '../../../../shared/known-figures.ts'
import { call } from '../../../lib/client.ts'
import { clientTotal } from './client-total.ts'
import { formatCost, formatExact, plural } from '../../../lib/format.ts'

type Session = OperationOutput<'sessions.get'>

/** Returns a session in the format of `aspy export`: a header line, then one line per event. */
export async function sessionLines(sessionId: string): Promise<readonly string[]> {
  const lines = [JSON.stringify({ aspy_export: 1 })]
  let cursor: string | null = null
  do {
    const page: OperationOutput<'events.export'> = await call('events.export', {
      session_id: sessionId,
      limit: 1000,
      ...(cursor === null ? {} : { cursor }),
    })
    for (const item of page.items) lines.push(JSON.stringify(item))
    cursor = page.next
  } while (cursor !== null)
  return lines
}

type Message = OperationOutput<'sessions.history'>['items'][number]

/** Returns the prompts and answers of a session, oldest first. */
export async function sessionConversation(sessionId: string): Promise<readonly Message[]> {
  const pages: (readonly Message[])[] = []
  let cursor: string | null = null
  do {
    const page: OperationOutput<'sessions.history'> = await call('sessions.history', {
      session_id: sessionId,
      limit: 500,
      ...(cursor === null ? {} : { cursor }),
    })
    // The newest page comes first; each page is in order.
    pages.unshift(page.items)
    cursor = page.next
  } while (cursor !== null)
  return pages.flat()
}

/** Formats a conversation as Markdown, with a heading for each prompt. */
export function conversationMarkdown(session: Session, messages: readonly Message[]): string {
  const own = clientTotal(session)
  const cost = knownCost(session)
  const about = [
    session.project ?? 'no project',
    formatExact(session.started_at),
    plural(session.prompts, 'prompt'),
    cost === null ? 'cost unknown' : `${formatCost(cost)} at API list price`,
    ...(own === null ? [] : [`${own} by Claude Code’s own count`]),
  ]
  const parts = messages.map(({ role, content, timestamp }) =>
    role === 'user'
      ? `## Prompt, ${timestamp}\n\n${content
          .split('\n')
          .map((line) => `> ${line}`.trimEnd())
          .join('\n')}\n`
      : `${content}\n`,
  )
  return [`# ${session.title ?? 'Untitled session'}\n`, `${about.join(' · ')}\n`, ...parts].join('\n')
}
