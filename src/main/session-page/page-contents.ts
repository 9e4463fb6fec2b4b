import type { OperationOutput } from '../../shared/contract/index.ts'
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
  #images = 0
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  add({ event }: Exported): void {
    this.#events += 1
    if (event.project !== null) this.#folders.add(event.project)
    const payload: Payload = event.payload
    if (Array.isArray(payload['media'])) this.#images += payload['media'].length
    this.#read(payload['text'])
    this.#read(payload['output'])
    this.#read(payload['input'])
    this.#read(payload['summary'])
  }

  #read(value: unknown): void {
    if (typeof value === 'string') this.#words += value.split(/\s+/).filter(Boolean).length
    else if (Array.isArray(value)) for (const one of value) this.#read(one)
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) {
        if (/path$/i.test(name) && typeof one === 'string' && textWithoutPaths(one, null) !== one) this.#files.add(one)
        this.#read(one)
      }
  }

  summary(bytes: number, cut: number): PageSummary {
    return {
      events: this.#events,
      words: this.#words,
      files: this.#files.size,
      folders: this.#folders.size,
      images: this.#images,
      bytes,
      cut,
    }
  }
}

/** Describes the contents of a page, for the terminal. */
export function describeContents({ events, words, files, folders, images, bytes, cut }: PageSummary): string {
  const rest = cut === 0 ? '' : `; cut here: ${counted(cut, 'later event')} ${cut === 1 ? 'is' : 'are'} not in it`
  return (
    `The page contains ${counted(events, 'event')}, ${counted(words, 'word')}, paths of ${counted(files, 'file')} ` +
    `in ${counted(folders, 'project folder')}${images === 0 ? '' : `, and notes on ${counted(images, 'image')} (never the images)`}, ` +
    `${count(Math.ceil(bytes / 1000))} kB${rest}. Leave parts out with --without tools,thinking,paths.`
  )
}
