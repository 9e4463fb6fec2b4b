import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationOutput } from '../../shared/contract/index.ts'
import type { PagePart } from '../../shared/contract/session-page.ts'
import type { Exported } from './exported.ts'
import { escaped } from './html-text.ts'
import { withoutParts } from './leave-out.ts'
import { overview } from './overview.ts'
import { PageContents, type PageSummary } from './page-contents.ts'
import { DATA_END, DATA_START, dataLine, PAGE_START, type PageHeader } from './page-data.ts'
import { transcriptPart } from './transcript.ts'
import { withoutPaths } from './without-paths.ts'

/** Next to this file; the build copies it next to its bundle. */
const STYLE_FILE = join(import.meta.dirname, 'page.css')

/** Characters of embedded data, and of the visible transcript. Longer data is cut, with a note. */
export interface PageBounds {
  readonly data: number
  readonly transcript: number
}

/** Collects a session's events, counts the contents of their page, and writes it. */
export class PageDraft {
  readonly #without: ReadonlySet<PagePart>
  readonly #bounds: PageBounds
  readonly #contents = new PageContents()
  readonly #items: Exported[] = []
  readonly #lines: string[] = []
  #characters = 0
  #cut = 0

  constructor(without: ReadonlySet<PagePart>, bounds: PageBounds) {
    this.#without = without
    this.#bounds = bounds
  }

  /** Adds the next event of the session, without the parts to leave out. Once the page is full, it only counts. */
  add(whole: Exported): void {
    const item = withoutParts(whole, this.#without)
    if (item === null) return
    const line = dataLine(item)
    if (this.#cut > 0 || this.#characters + line.length > this.#bounds.data) {
      this.#cut += 1
      return
    }
    this.#characters += line.length
    this.#contents.add(item)
    this.#items.push(item)
    this.#lines.push(line)
  }

  summary(): PageSummary {
    return this.#contents.summary(this.#characters, this.#cut)
  }

  /** Writes the page. It needs no network, runs no script, and can be imported again. */
  *html(own: OperationOutput<'sessions.get'>): Generator<string> {
    const without = this.#without
    const session = without.has('paths') ? withoutPaths(own, own.project) : own
    yield head(session.title ?? session.id)
    yield overview(session, this.#items)
    if (without.size > 0) yield `<p class="cut">Left out: ${[...without].join(', ')}</p>\n`
    yield* transcript(this.#items, this.#bounds.transcript)
    if (this.#cut > 0) yield `<p class="cut">cut here: ${this.#cut} later events are not in this page</p>\n`
    const header: PageHeader = { aspy_export: 1, events: this.#lines.length, cut: this.#cut, without: [...without] }
    yield `</main>\n${DATA_START}\n${dataLine(header)}\n`
    for (const line of this.#lines) yield `${line}\n`
    yield `${DATA_END}\n</body></html>\n`
  }
}

function head(title: string): string {
  const style = readFileSync(STYLE_FILE, 'utf8')
  // The only style that the policy allows.
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return (
    `${PAGE_START}\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">' +
    `<title>${escaped(title)}</title><style>${style}</style></head><body><main>\n`
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
