import { AspyError } from '../../../shared/contract/errors.ts'
import { eventsTable } from '../../../shared/columns/events.ts'
import { slowestKindsTable, slowestTable } from '../../../shared/columns/slowest.ts'
import { LINE_CHARACTERS } from '../../../shared/event-text.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { plain, plainLines, shownIds, table } from '../table.ts'
import { answered, listed, toPaste, type Printed } from './reading-command.ts'
import { sayAside } from '../wrap.ts'

const eventsListed = listed(eventsTable, 'No events.', { isOfAll: true })

/** Lists events, and says where those are whole that the list has the beginning of. */
export const eventsText: typeof eventsListed = (answer, input, isTeam) => {
  const isCut = answer.items.some(({ text }) => text.length >= LINE_CHARACTERS && text.endsWith('…'))
  const note = `(texts end after ${LINE_CHARACTERS} characters; whole: ${withTypedHere('aspy replay SESSION --json')})`
  return [eventsListed(answer, input, isTeam), ...(isCut ? [note] : [])].join('\n')
}

/** `aspy timeline [ID]`: lists the events of a session, oldest first; by default, of the most recently active one. */
export async function timeline(
  client: Client,
  input: Partial<OperationInput<'sessions.timeline'>>,
  { project }: { readonly project?: string | undefined },
): Promise<Printed> {
  const asked = { ...input, session_id: input.session_id ?? (await lastActive(client, project)) }
  const { json, text } = await answered(client, 'sessions.timeline', asked, eventsText)
  const { items } = json as OperationOutput<'sessions.timeline'>
  // What was typed may be the start of its id.
  const session_id = items[0]?.session_id ?? asked.session_id
  return {
    json: { session_id, ...(json as object) },
    text: `Session ${shownIds([plain(session_id)]).join('')}\n${text}`,
  }
}

async function lastActive(client: Client, project: string | undefined): Promise<string> {
  const { items } = await client.call('sessions.list', { limit: 1, project })
  const [newest] = items
  if (newest === undefined)
    throw new AspyError('not_found', `no session is recorded${project === undefined ? '' : ' for this project'} yet`)
  return newest.id
}

/** Lists the slowest tool calls or events, or groups of events by kind. */
export function slowestText({ groups, items }: OperationOutput<'stats.slowest'>): string {
  if ((groups ?? items).length === 0) return 'No timed events.'
  return groups === undefined ? table(items, slowestTable) : table(groups, slowestKindsTable)
}

/** Says that a text for a model has times in UTC, other than all else that a person sees. */
function sayZone(): void {
  const behind = new Date().getTimezoneOffset()
  if (behind === 0) return
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0')
  const zone = `UTC${behind < 0 ? '+' : '-'}${two(Math.abs(behind) / 60)}:${two(Math.abs(behind) % 60)}`
  sayAside(`The times in this text are UTC; on this machine it is ${zone}.`)
}

/** `aspy resume [ID]`: summarizes where a session left off, as a pack; by default, the most recently active one. */
export async function resume(
  client: Client,
  input: OperationInput<'sessions.resume_latest'>,
  { lost }: { readonly lost?: boolean | undefined },
  asJson: boolean,
): Promise<Printed> {
  if (!asJson) sayZone()
  if (lost !== true)
    return toPaste(await answered(client, 'sessions.resume_latest', input, (pack) => plainLines(pack.text)))
  const { session_id } = await client.call('sessions.resume_latest', input)
  const printed = await answered(client, 'sessions.resume_truth', { session_id }, ({ resumed, pack }) => {
    const silent = resumed === null ? 'No resume to compare is recorded.' : 'The last resume carried every message.'
    return pack === null ? silent : plainLines(pack.text)
  })
  return toPaste(printed)
}
