import type { OperationOutput, ParsedInput } from '../../shared/contract/index.ts'
import { localZone } from '../../shared/wall-time.ts'
import { packageVersion } from '../base/app-files.ts'
import type { Read } from './page-facts.ts'
import { sessionPage } from './session-page.ts'

/** The page is made on the main thread, so it is smaller than the command line's. */
const BOUNDS = { data: 8_000_000, transcript: 4_000_000 }

/** Returns a summary of a session's page and, on request, the page. */
export async function answerPage(
  read: Read,
  { session_id, without, format, tz }: ParsedInput<'sessions.page'>,
): Promise<OperationOutput<'sessions.page'>> {
  const { summary, html } = await sessionPage(read, session_id, {
    without: new Set(without),
    bounds: BOUNDS,
    zone: tz ?? localZone(),
    version: packageVersion(),
  })
  return { session_id, ...summary, ...(format === 'html' ? { document: html.join('') } : {}) }
}
