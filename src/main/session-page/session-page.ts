import { setImmediate as breathe } from 'node:timers/promises'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { PageDraft, type PageOptions } from './page-draft.ts'
import type { PageSummary } from './page-contents.ts'
import { type Read, readFacts } from './page-facts.ts'

/** Steps between which other work on this thread runs. */
const EVENTS_A_STEP = 50
const PARTS_A_STEP = 20

/** Writes one session as one HTML page, in small steps. Its size is counted, not estimated. */
export async function sessionPage(
  read: Read,
  session_id: string,
  options: PageOptions,
): Promise<{ readonly summary: PageSummary; readonly html: readonly string[] }> {
  const facts = await readFacts(read, session_id)
  const draft = new PageDraft(options)
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
  const html: string[] = []
  let bytes = 0
  for (const part of draft.html(facts)) {
    html.push(part)
    bytes += Buffer.byteLength(part)
    if (html.length % PARTS_A_STEP === 0) await breathe()
  }
  return { summary: draft.summary(bytes), html }
}
