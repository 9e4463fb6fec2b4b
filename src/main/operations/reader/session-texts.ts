import type { Session } from '../../../shared/contract/sessions.ts'
import { formatFailures } from '../../../shared/failures.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { cutAt, makePack, shortTime } from '../../recall/pack.ts'
import { episodeRows } from '../../store/read/episodes.ts'
import type { Reader } from '../../store/read/reader.ts'
import { linksOfSessions } from '../../store/read/session-links.ts'
import { listSessions, requireSession } from '../../store/read/sessions.ts'
import { conversation } from '../../store/read/texts.ts'
import { oneLineOf, withShortIds } from './pack-items.ts'

const ITEM_CHARACTERS = 1200
const TEXT_BUDGET = 4000

export const sessionHistory: ReaderHandler<'sessions.history'> = (reader, input) => {
  const session = requireSession(reader, input.session_id)
  const { items, next } = conversation(reader, input)
  const inOrder = items.reverse()
  if (!input.as_text) return { items: inOrder, next }
  const newestFirst = inOrder.toReversed().map((item) => ({
    ...item,
    label: item.role === 'user' ? 'prompt' : 'answer',
    session_id: input.session_id,
    project: session.project,
    text: item.content.length > ITEM_CHARACTERS ? `${cutAt(item.content, ITEM_CHARACTERS)} …` : item.content,
  }))
  const pack = makePack(withShortIds(reader, newestFirst), {
    budgetTokens: TEXT_BUDGET,
    note: 'A session, newest first.',
    about: [aboutSession(reader, session)],
    foldsNearDuplicates: false,
  })
  return { items: inOrder, next, text: pack.text }
}

const LINK_NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after a compaction of',
} as const

/**
 * Returns the facts about a session in a text for a model: its client, its failures, and the sessions that it
 * continues.
 */
function aboutSession(reader: Reader, session: Session): string {
  const client = [session.client, ...(session.client_version === null ? [] : [session.client_version])].join(' ')
  const failures = formatFailures(session)
  const links = linksOfSessions(reader, [session.id]).get(session.id) ?? []
  return [
    `Client: ${client}.`,
    ...(failures === '' ? [] : [`Failures: ${failures}.`]),
    ...links.map(({ kind, session_id }) => `${LINK_NAMES[kind]} session ${session_id}.`),
  ].join(' ')
}

const SUMMARY_CHARACTERS = 700
/** Characters of a session's summary if many sessions are listed. */
const MIN_CHARACTERS = 160

export const sessionsPast: ReaderHandler<'sessions.past'> = (reader, input) => {
  const { session_id, limit, before, since, ...scope } = input
  if (session_id !== undefined) {
    const history = sessionHistory(reader, { session_id, limit, before, after: since, as_text: true })
    return { text: history.text ?? '', sessions: [] }
  }
  const { items, next } = listSessions(reader, { ...scope, limit, before, since })
  const sessions = items.map((session) => ({
    session_id: session.id,
    project: session.project,
    title: session.title,
    started_at: session.started_at,
    last_event_at: session.last_event_at,
    prompts: session.prompts,
    summary: summaryOf(reader, session.id),
  }))
  const share = Math.max(
    MIN_CHARACTERS,
    Math.min(SUMMARY_CHARACTERS, Math.floor((TEXT_BUDGET * 4) / Math.max(1, sessions.length)) - 120),
  )
  const pack = makePack(
    withShortIds(
      reader,
      sessions.map((session, at) => ({
        label: `${session.prompts} ${session.prompts === 1 ? 'prompt' : 'prompts'} · last event ${shortTime(session.last_event_at)}`,
        session_id: session.session_id,
        turn_id: items[at]?.turn_count ?? 0,
        uuid: session.session_id,
        timestamp: session.started_at,
        project: session.project,
        text: titled(session.title ?? '', oneLineOf(session.summary, share)),
      })),
    ),
    {
      budgetTokens: TEXT_BUDGET,
      note: `${sessions.length} past sessions, newest first${next === null ? '' : '; more exist, use before'}. The turn is the last one.`,
      foldsNearDuplicates: false,
      namesTexts: false,
    },
  )
  return { text: pack.text, sessions }
}

/** Returns the newest summary of a session: its digest or its last compaction; else its first and last prompt. */
function summaryOf(reader: Reader, sessionId: string): string {
  const [episode] = episodeRows(reader, { session_id: sessionId, limit: 1 }).items
  if (episode !== undefined) return episode.content
  const prompts = conversation(reader, { session_id: sessionId, limit: 20 }).items.filter(({ role }) => role === 'user')
  const [last] = prompts
  const first = prompts.at(-1)
  if (last === undefined || first === undefined) return 'No prompts.'
  return last === first ? `Asked: ${last.content}` : `Asked: ${first.content} … then: ${last.content}`
}

/** A summary of the request usually begins with the title. */
const titled = (title: string, summary: string): string =>
  [title, summary].filter((line, at) => line !== '' && (at === 1 || !summary.includes(title))).join('\n')
