import { createHash } from 'node:crypto'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { Exported } from '../../commands/export.ts'
import { escaped } from './html-text.ts'
import { withoutParts, type Part } from './leave-out.ts'
import { overview } from './overview.ts'
import { PageContents } from './page-contents.ts'
import { DATA_END, DATA_START, dataLine, PAGE_START, type PageHeader } from './page-data.ts'
import { PAGE_STYLE } from './page-style.ts'
import { transcriptPart } from './transcript.ts'
import { withoutPaths } from './without-paths.ts'

/** Characters of embedded data, and of the visible transcript. What exceeds a bound is cut, with a note. */
export const PAGE_BOUNDS = { data: 32_000_000, transcript: 16_000_000 }

export interface SessionPage {
  readonly session: OperationOutput<'sessions.get'>
  readonly events: AsyncIterable<Exported>
  readonly without: ReadonlySet<Part>
  /** Receives what the page contains before any of it is written. */
  readonly announce: (contents: string) => void
  /** Default: PAGE_BOUNDS. */
  readonly bounds?: typeof PAGE_BOUNDS
}

/** Writes one session as one HTML page that needs no network, runs no script, and can be imported again. */
export async function* sessionPage(options: SessionPage): AsyncGenerator<string> {
  const { without, events, announce, bounds = PAGE_BOUNDS } = options
  const contents = new PageContents()
  const items: Exported[] = []
  const lines: string[] = []
  let characters = 0
  let cut = 0
  for await (const whole of events) {
    const item = withoutParts(whole, without)
    if (item === null) continue
    const line = dataLine(item)
    if (cut > 0 || characters + line.length > bounds.data) {
      cut += 1
      continue
    }
    characters += line.length
    contents.add(item)
    items.push(item)
    lines.push(line)
  }
  announce(contents.describe(characters, cut))
  const { session: own } = options
  const session = without.has('paths') ? withoutPaths(own, own.project) : own
  yield head(session.title ?? session.id)
  yield overview(session, items)
  if (without.size > 0) yield `<p class="cut">Left out: ${[...without].join(', ')}</p>\n`
  yield* transcript(items, bounds.transcript)
  if (cut > 0) yield `<p class="cut">cut here: ${cut} later events are not in this page</p>\n`
  const header: PageHeader = { aspy_export: 1, events: lines.length, cut, without: [...without] }
  yield `</main>\n${DATA_START}\n${dataLine(header)}\n`
  for (const line of lines) yield `${line}\n`
  yield `${DATA_END}\n</body></html>\n`
}

function head(title: string): string {
  const hash = createHash('sha256').update(PAGE_STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return (
    `${PAGE_START}\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">' +
    `<title>${escaped(title)}</title><style>${PAGE_STYLE}</style></head><body><main>\n`
  )
}

function* transcript(items: readonly Exported[], bound: number): Generator<string> {
  let characters = 0
  for (const [at, item] of items.entries()) {
    const part = transcriptPart(item)
    if (part === null) continue
    characters += part.length
    if (characters > bound)
      return yield `<p class="cut">cut here: ${items.length - at} later events are only in the data of this page</p>\n`
    yield part
  }
}
