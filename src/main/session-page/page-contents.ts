import type { OperationOutput } from '../../shared/contract/index.ts'
import { PAGE_PARTS } from '../../shared/contract/session-page.ts'
import { isObject } from '../../shared/json-fields.ts'
import { counted } from '../../shared/counted.ts'
import type { Exported } from './exported.ts'
import { count } from './figures.ts'
import { textWithoutPaths } from './without-paths.ts'

type Payload = { readonly [key: string]: unknown }

/** Contents of a page. `bytes` is its size; `cut` counts later events that are left out. */
export type PageSummary = Omit<OperationOutput<'sessions.page'>, 'session_id' | 'document'>

/** Counts the contents of a page, for the person who is about to share it. */
export class PageContents {
  #events = 0
  #words = 0
  #requests = 0
  #requestWords = 0
  #images = 0
  readonly #files = new Set<string>()
  readonly #projects = new Set<string>()

  add({ event, contents }: Exported): void {
    this.#events += 1
    if (event.project !== null) this.#projects.add(event.project)
    const payload: Payload = event.payload
    if (Array.isArray(payload['media'])) this.#images += payload['media'].length
    for (const name of ['text', 'output', 'input', 'summary']) this.#read(payload[name], event.project)
    if (event.kind === 'model_request' && isObject(payload['request'])) this.#requests += 1
    for (const block of Object.values(contents)) this.#requestWords += wordsOf(block)
  }

  #read(value: unknown, project: string | null): void {
    if (typeof value === 'string') this.#words += wordsOf(value)
    else if (Array.isArray(value)) for (const one of value) this.#read(one, project)
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) {
        if (/path$/i.test(name) && typeof one === 'string' && textWithoutPaths(one, null) !== one)
          this.#files.add(whole(one, project))
        this.#read(one, project)
      }
  }

  summary(bytes: number, cut: number): PageSummary {
    return {
      events: this.#events,
      words: this.#words,
      requests: this.#requests,
      request_words: this.#requestWords,
      files: this.#files.size,
      folders: (this.#files.size === 0 ? this.#projects : new Set([...this.#files].map(folderOf))).size,
      images: this.#images,
      bytes,
      cut,
    }
  }
}

/** Returns a path from the root, so that a file counts once; one from the project's folder gets its folder. */
const whole = (path: string, project: string | null): string =>
  project === null || /^(?:[\\/~]|[A-Za-z]:)/.test(path) ? path : `${project}/${path.replace(/^(?:\.[\\/])+/, '')}`

const folderOf = (path: string): string => path.replace(/[\\/][^\\/]*$/, '')

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length

/** Describes the contents of a page, for the terminal. */
export function describeContents(contents: PageSummary): string {
  const { events, words, requests, request_words, files, folders, images, bytes, cut } = contents
  const rest = cut === 0 ? '' : `; cut here: ${counted(cut, 'later event')} ${cut === 1 ? 'is' : 'are'} not in it`
  const sent =
    requests === 0
      ? ''
      : ` Not shown, but in it for an import: ${counted(requests, 'request')} as sent, with system prompt, memory files ` +
        `(CLAUDE.md) and paths (${counted(request_words, 'word')}).`
  return (
    `The page contains ${counted(events, 'event')}, ${counted(words, 'word')}, paths of ${counted(files, 'file')} ` +
    `in ${counted(folders, 'folder')}${images === 0 ? '' : `, and notes on ${counted(images, 'image')} (never the images)`}, ` +
    `${count(Math.ceil(bytes / 1000))} kB${rest}.${sent} Leave parts out with --without ${PAGE_PARTS.join(',')}.`
  )
}
