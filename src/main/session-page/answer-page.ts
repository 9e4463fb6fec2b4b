import { setImmediate as breathe } from 'node:timers/promises'
import type { OperationInput, OperationName, OperationOutput, ParsedInput } from '../../shared/contract/index.ts'
import { PageDraft } from './page-draft.ts'

/** The page is made on the main thread, so it is smaller than the command line's, and made in small steps. */
const BOUNDS = { data: 8_000_000, transcript: 4_000_000 }
const EVENTS_A_STEP = 50

/** Runs a reading operation. */
export type Read = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
) => Promise<OperationOutput<Name>>

/** Returns a summary of a session's page and, on request, the page. */
export async function answerPage(
  read: Read,
  { session_id, without, format }: ParsedInput<'sessions.page'>,
): Promise<OperationOutput<'sessions.page'>> {
  const session = await read('sessions.get', { session_id })
  const draft = new PageDraft(new Set(without), BOUNDS)
  let cursor: string | null = null
  do {
    const page: OperationOutput<'events.export'> = await read('events.export', {
      session_id,
      limit: EVENTS_A_STEP,
      ...(cursor === null ? {} : { cursor }),
    })
    for (const item of page.items) draft.add(item)
    cursor = page.next
    await breathe()
  } while (cursor !== null)
  return {
    session_id,
    ...draft.summary(),
    ...(format === 'html' ? { document: [...draft.html(session)].join('') } : {}),
  }
}
