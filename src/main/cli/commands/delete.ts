import { byteSize } from '../../../shared/byte-size.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { shortened } from '../../../shared/cut-text.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import type { Client } from '../client.ts'
import { agrees } from '../confirm.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { count, counted, plain } from '../table.ts'
import { showProgress, withApp } from '../with-app.ts'
import { print } from '../print-all.ts'

const POLL_MS = 250
/** Guarantees that hold when a deletion or redaction returns. */
export const REMNANTS =
  'Remnants may stay in unused bytes of the database file until it is rewritten; "aspy vacuum" does it now.'

const UNASKED = 'nothing was deleted: there is no terminal to confirm it in; add --yes to delete without a question'

/** Characters of an id that are enough to delete by. */
const LEAST_ID = 8

interface DeleteFlags extends JsonFlag {
  /** Deletes without a question. */
  readonly yes?: boolean
}

/**
 * `aspy delete ID`: describes the deletion, asks, deletes a session, and returns when no query, index, export or log
 * holds it. Without a terminal and without `--yes` it changes nothing and sets exit code 2.
 */
export async function deleteSession(settings: RunSettings, sessionId: string, flags: DeleteFlags): Promise<void> {
  await withApp(settings, async (client) => {
    const footprint = await client.call('sessions.footprint', { session_id: sessionId })
    const isOwn = footprint.session_id.startsWith(sessionId)
    if (!isOwn || (sessionId.length < LEAST_ID && footprint.session_id !== sessionId))
      throw new AspyError(
        'bad_input',
        `nothing was deleted: ${sessionId} is ${isOwn ? 'too short to delete by' : 'not how its id begins'}; give eight characters or all of ${footprint.session_id}`,
      )
    const what = describe(footprint)
    const { copies, quoted_by, transcripts } = footprint
    const also = copies.length === 0 ? '' : `These copies, which Aspy kept, go with it:\n${copies.join('\n')}\n`
    const stays = whatStays(footprint)
    const question = `${also}${stays.map((line) => `${line}\n`).join('')}Delete ${what} permanently?`
    if (!(await agrees(flags.yes, question, 'deleted', UNASKED))) return
    if (!flags.json) showProgress(`Deleting ${what} …`)
    const deleted = await withProgress(client, footprint, flags.json === true)
    const lines = [
      `Deleted ${eventCount(deleted.events)} of session ${deleted.session_id} permanently. Files of aspy backup still contain them.`,
      ...copies.map((path) => `Removed with it: ${path}`),
      ...stays,
      withTypedHere(REMNANTS),
    ]
    print({ json: { ...deleted, copies, quoted_by, transcripts }, text: lines.join('\n') }, flags.json)
  })
}

type Footprint = OperationOutput<'sessions.footprint'>

const eventCount = (events: number): string => counted(events, 'event')

function describe({ session_id, title, events, bytes }: Footprint): string {
  const name = title === null ? session_id : `${session_id} (“${oneLine(title)}”)`
  return `1 session, ${name}, with ${eventCount(events)} and ${byteSize(bytes)}`
}

/** Most paths and ids that a line names. */
const MOST_NAMED = 5

/** Says where else texts of a session are, which a deletion leaves there. */
function whatStays({ quoted_by: sessions, transcripts }: Footprint): readonly string[] {
  const named = (all: readonly string[]) =>
    all.slice(0, MOST_NAMED).map(plain).join(', ') +
    (all.length > MOST_NAMED ? ` and ${count(all.length - MOST_NAMED)} more` : '')
  const files = transcripts.length === 1 ? 'transcript stays' : 'transcripts stay'
  return [
    ...(sessions.length === 0
      ? []
      : [
          `Quoted in ${counted(sessions.length, 'session')}, ${sessions.length === 1 ? 'which keeps' : 'which keep'} it: ${named(sessions)}`,
        ]),
    ...(transcripts.length === 0 ? [] : [`The client's own ${files}: ${named(transcripts)}`]),
  ]
}

/** A title is recorded text: its control characters must not reach the terminal. */
function oneLine(title: string): string {
  const plain = title.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return shortened(plain, 61)
}

async function withProgress(client: Client, { session_id, events }: Footprint, isQuiet: boolean) {
  const over = new AbortController()
  const showing = isQuiet ? Promise.resolve() : showUntil(over.signal, client, session_id, events)
  try {
    return await client.call('sessions.delete', { session_id })
  } finally {
    over.abort()
    await showing
    showProgress(null)
  }
}

/** Shows how many events are deleted, then the clearing of indexes and archives. */
async function showUntil(signal: AbortSignal, client: Client, sessionId: string, events: number): Promise<void> {
  let hasBegun = false
  while (!signal.aborted) {
    await pause(POLL_MS)
    const { deleting } = await client.call('sessions.deletions', {}).catch(() => ({ deleting: [] }))
    const deletion = deleting.find(({ session_id }) => session_id === sessionId)
    if (signal.aborted) return
    hasBegun ||= deletion !== undefined
    if (deletion !== undefined) showProgress(`${count(deletion.events_deleted)} of ${eventCount(events)} deleted`)
    else if (hasBegun) showProgress('Clearing indexes and archives')
  }
}
