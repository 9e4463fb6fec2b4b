import type { OperationOutput } from '../../shared/contract/index.ts'
import type { PagePart } from '../../shared/contract/session-page.ts'
import type { Exported } from './exported.ts'
import type { PageSummary } from './page-contents.ts'
import { type PageBounds, PageDraft } from './page-draft.ts'

const PAGE_BOUNDS: PageBounds = { data: 32_000_000, transcript: 16_000_000 }

export interface SessionPage {
  readonly session: OperationOutput<'sessions.get'>
  readonly events: AsyncIterable<Exported>
  readonly without: ReadonlySet<PagePart>
  /** Receives a summary of the page before any of it is written. */
  readonly announce: (contents: PageSummary) => void
  /** Default: PAGE_BOUNDS. */
  readonly bounds?: PageBounds
}

/** Writes one session as one HTML page. */
export async function* sessionPage(options: SessionPage): AsyncGenerator<string> {
  const { without, events, announce, session, bounds = PAGE_BOUNDS } = options
  const draft = new PageDraft(without, bounds)
  for await (const event of events) draft.add(event)
  announce(draft.summary())
  yield* draft.html(session)
}
