import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { PAGE_PART_NAMES, type PagePart } from '../../shared/contract/session-page.ts'
import { ending, firstAsked } from './ending.ts'
import type { Exported } from './exported.ts'
import { counted } from '../../shared/counted.ts'
import { count } from './figures.ts'
import { escaped, note } from './html-text.ts'
import { withoutParts } from './leave-out.ts'
import { outcomes } from './outcomes.ts'
import { outline } from './outline.ts'
import { head, overview } from './overview.ts'
import { PageContents, type PageSummary } from './page-contents.ts'
import { DATA_END, DATA_START, dataLine, PAGE_START, type PageHeader } from './page-data.ts'
import { factsWithoutPaths, type PageFacts } from './page-facts.ts'
import { pageStyle } from './page-style.ts'
import { PageTimes } from './page-times.ts'
import { shortPaths } from './short-paths.ts'
import { Transcript } from './transcript.ts'
import { turnsOf } from './turns-of.ts'

/** Next to this file; the build writes it next to its bundle. */
const STYLE_FILE = join(import.meta.dirname, 'page.css')

/** Characters of embedded data, and of the visible transcript. Longer data is cut, with a note. */
export interface PageBounds {
  readonly data: number
  readonly transcript: number
}

/** Choices of a page's author. */
export interface PageOptions {
  readonly without: ReadonlySet<PagePart>
  readonly bounds: PageBounds
  /** Zone of the times on the page. */
  readonly zone: string
  /** Version of Aspy, for the footer. */
  readonly version: string
}

/** Collects a session's events, counts the contents of their page, and writes it. */
export class PageDraft {
  readonly #options: PageOptions
  readonly #contents = new PageContents()
  readonly #items: Exported[] = []
  readonly #lines: string[] = []
  #characters = 0
  #cut = 0

  constructor(options: PageOptions) {
    this.#options = options
  }

  /** Adds the next event of the session, without the parts to leave out. Once the page is full, it only counts. */
  add(whole: Exported): void {
    const item = withoutParts(whole, this.#options.without)
    if (item === null) return
    const line = dataLine(item)
    if (this.#cut > 0 || this.#characters + line.length > this.#options.bounds.data) {
      this.#cut += 1
      return
    }
    this.#characters += line.length
    this.#contents.add(item)
    this.#items.push(item)
    this.#lines.push(line)
  }

  /** Counts the contents of the page of this size. */
  summary(bytes: number): PageSummary {
    return this.#contents.summary(bytes, this.#cut)
  }

  /** Writes the page. It needs no network, runs no script, and can be imported again. */
  *html(whole: PageFacts): Generator<string> {
    const { without, zone, bounds } = this.#options
    const { project } = whole.session
    const facts = without.has('paths')
      ? factsWithoutPaths(whole)
      : { ...shortPaths(whole, project), session: { ...shortPaths(whole.session, project), project } }
    const times = new PageTimes(zone)
    const turns = turnsOf(
      this.#items.map((item) => shortPaths(item, facts.session.project)),
      facts.agents,
      facts.session.joined_turns,
    )
    yield start(facts.session.title ?? facts.session.id)
    yield head(facts, times)
    if (without.size > 0)
      yield note(`Not on this page: ${[...without].map((part) => PAGE_PART_NAMES[part]).join('; ')}.`)
    yield `<div class="columns">${outline(turns, facts, times)}<main>\n`
    yield firstAsked(turns, facts)
    if (this.#cut === 0) yield ending(turns, facts, times, Date.now())
    yield* outcomes(turns, facts, this.#cut)
    yield overview(facts, turns, times)
    yield '<h2>Transcript</h2>\n'
    yield* new Transcript(facts, times, bounds.transcript).html(turns)
    if (this.#cut > 0) yield note(`cut here: ${count(this.#cut)} later events are not in this page`)
    yield `</main></div>\n${this.#footer()}`
    const header: PageHeader = { aspy_export: 1, events: this.#lines.length, cut: this.#cut, without: [...without] }
    yield `${DATA_START}\n${dataLine(header)}\n`
    for (const line of this.#lines) yield `${line}\n`
    yield `${DATA_END}\n</body></html>\n`
  }

  #footer(): string {
    return (
      `<footer><p>Made with <b>Aspy</b> ${escaped(this.#options.version)}, which records what passes between ` +
      'coding agents and the API, on your own machine, and makes it searchable.</p>' +
      `<p>This file needs no network and runs no script. It contains ${counted(this.#lines.length, 'event')}; ` +
      'to read and search them in Aspy, run <code>aspy import</code> with the name of this file.</p></footer>\n'
    )
  }
}

function start(title: string): string {
  const style = pageStyle(STYLE_FILE)
  // The only style that the policy allows.
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return (
    `${PAGE_START}\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="color-scheme" content="light dark"><meta name="generator" content="Aspy">` +
    `<title>${escaped(title)}</title><style>${style}</style></head><body>\n`
  )
}
