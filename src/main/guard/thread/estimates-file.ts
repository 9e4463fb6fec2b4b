import { createHash, randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, statSync, write } from 'node:fs'
import { z } from 'zod'
import { errorCode } from '../../../shared/error-text.ts'
import { assertPrivateFile, UntrustedFile } from '../../base/private-file.ts'
import { replacePrivateFile } from '../../base/replace-private-file.ts'
import { parseJson } from '../../decode/json-access.ts'

const reserved = z.object({
  session: z.string().nullable(),
  agent: z.string().nullable(),
  project: z.string().nullable(),
  usd: z.number(),
  tokens: z.number(),
  wall: z.number(),
  /** It is what the answer cost, which is not stored elsewhere. */
  isSpent: z.literal(true).optional(),
})
/** Who wrote it, the request, and what it reserves; without that, it counts no longer. */
const line = z.tuple([z.string(), z.string()], reserved)

/** What a request reserves. Its scopes are hashed: no file keeps the name of a session that is deleted. */
export type Reserved = z.output<typeof reserved>

/** A file is written again without what counts no longer once it is larger than this, in bytes. */
const LARGE = 1 << 20
const HOW = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

/** Returns a scope as the file names it. */
export const hashed = <Name extends string | null>(name: Name): Name =>
  (name === null ? null : createHash('sha256').update(name).digest('base64url').slice(0, 22)) as Name

/**
 * The estimates of requests that left, as the apps of a data folder tell them each other: lines that each appends. They outlive
 * the app. Without a file that can be written, each app knows its own.
 */
export class EstimatesFile {
  readonly #path: string
  readonly #by = randomUUID().slice(0, 8)
  #file: number | null = null
  /** Where the next line of others begins. */
  #at = 0
  #large = LARGE
  #unwritten = ''
  #isWriting = false

  constructor(path: string) {
    this.#path = path
    this.#attempt(() => (this.#file = this.#open()))
  }

  /** Tells what a request reserves; without that, that it counts no longer. A disk that hangs holds up no verdict. */
  tell(id: string, request?: Reserved): void {
    this.#unwritten += this.#line(id, request)
    if (!this.#isWriting) this.#write()
  }

  #write(): void {
    const text = this.#unwritten
    this.#unwritten = ''
    this.#isWriting = this.#file !== null && text !== ''
    if (this.#file === null || text === '') return
    write(this.#file, text, (error) => {
      if (error !== null) this.#file = null
      this.#write()
    })
  }

  /** Returns what others have told since the last time: requests with what they reserve, null if they count no longer. */
  told(): readonly (readonly [id: string, request: Reserved | null])[] {
    const file = this.#file
    const text = file === null ? '' : (this.#attempt(() => this.#read(file)) ?? '')
    return text.split('\n').flatMap((each) => {
      const found = each === '' ? null : line.safeParse(parseJson(each)).data
      return !found || found[0] === this.#by ? [] : [[found[1], found[2] ?? null] as const]
    })
  }

  /** Writes the file again with only these requests, if it has become large. */
  shorten(requests: () => Iterable<readonly [id: string, request: Reserved]>): void {
    if (this.#at < this.#large) return
    const text = [...requests()].map(([id, request]) => this.#line(id, request)).join('')
    this.#large = Math.max(LARGE, text.length * 2)
    this.#attempt(() => replacePrivateFile(this.#path, text))
  }

  #line(id: string, request?: Reserved): string {
    return `${JSON.stringify(request === undefined ? [this.#by, id] : [this.#by, id, request])}\n`
  }

  #open(): number {
    assertPrivateFile(this.#path)
    this.#at = 0
    return openSync(this.#path, HOW, 0o600)
  }

  /** Reads whole lines. Another app may have replaced the file. */
  #read(before: number): string {
    let file = before
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) {
      this.#file = file = this.#open()
      closeSync(before)
    }
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#at))
    const whole = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#at)).lastIndexOf('\n') + 1
    this.#at += whole
    return bytes.toString('utf8', 0, whole)
  }

  /** Does something with the file, and gives it up if that fails. */
  #attempt<T>(act: () => T): T | null {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof UntrustedFile) && errorCode(error) === null) throw error
      this.#file = null
      return null
    }
  }
}
