import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { call } from '../../../lib/client.ts'
import { formatCost, formatExact, plural } from '../../../lib/format.ts'

type Session = OperationOutput<'sessions.get'>

/** All events of a session as `aspy export` writes them, and `aspy import` takes them in: a line each, behind a first line. */
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

type Said = OperationOutput<'sessions.history'>['items'][number]

/** What was asked and answered in a session, oldest first. */
export async function sessionConversation(sessionId: string): Promise<readonly Said[]> {
  const pages: (readonly Said[])[] = []
  let cursor: string | null = null
  do {
    const page: OperationOutput<'sessions.history'> = await call('sessions.history', {
      session_id: sessionId,
      limit: 500,
      ...(cursor === null ? {} : { cursor }),
    })
    // Each page is in order, the newest page comes first.
    pages.unshift(page.items)
    cursor = page.next
  } while (cursor !== null)
  return pages.flat()
}

/** A conversation as Markdown: a heading for each prompt, what was answered below it. */
export function conversationMarkdown(session: Session, said: readonly Said[]): string {
  const about = [
    session.project ?? 'no project',
    formatExact(session.started_at),
    plural(session.prompts, 'prompt'),
    `${formatCost(session.total_cost_usd)} at API list price`,
  ]
  const parts = said.map(({ role, content, timestamp }) =>
    role === 'user'
      ? `## Prompt, ${timestamp}\n\n${content
          .split('\n')
          .map((line) => `> ${line}`.trimEnd())
          .join('\n')}\n`
      : `${content}\n`,
  )
  return [`# ${session.title ?? 'Untitled session'}\n`, `${about.join(' · ')}\n`, ...parts].join('\n')
}
