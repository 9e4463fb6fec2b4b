import type { Exported } from '../../commands/export.ts'
import { count, counted } from '../../table.ts'
import { textWithoutPaths } from './without-paths.ts'

type Payload = { readonly [key: string]: unknown }

/** Counts what a page would give away, for the person who is about to share it. */
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

  /** One sentence for the terminal. */
  describe(characters: number, cut: number): string {
    const rest = cut === 0 ? '' : `; cut here: ${count(cut)} later events are not in it`
    return (
      `The page contains ${counted(this.#events, 'event')}, ${counted(this.#words, 'word')}, paths of ${counted(this.#files.size, 'file')} ` +
      `in ${count(this.#folders.size)} project folders, and notes on ${count(this.#images)} images (never the images), ` +
      `about ${count(Math.ceil(characters / 1000))} kB${rest}. Leave parts out with --without tools,thinking,paths.`
    )
  }
}
