import { resolve } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import type { Config } from '../../../../shared/config.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import type { EventAnswer } from '../../../store/read/events.ts'
import {
  countMatching,
  deliverableUpTo,
  positionOfMatch,
  projectsAfter,
  matchingEvents,
  type Wanted,
} from '../../../store/read/outbox.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { createDeliveryCursor, type DeliveryCursor } from '../delivery-cursor.ts'
import type { Cursor } from '../../cursor-file.ts'
import { type Sender, DeliveryFailure } from '../sender.ts'
import type { SinkStatus } from '../../protocol.ts'
import { createPost, type Post } from './post.ts'
import { loadSecret, signatureHeaders } from './signature.ts'

/** Limit of one delivery's size. A larger event is delivered alone. */
const MAX_BODY_CHARACTERS = 1_000_000
/** Limit of events in one delivery, whatever the batch_size when it began. */
const MAX_BATCH = 1000
/** A refused delivery is tried this often before it is dropped. */
const MAX_REFUSALS = 5
/** Interval for checking whether hidden events may be delivered, or have been deleted. */
const HELD_MS = 500
/** Interval for counting waiting events. */
const COUNT_EVERY_MS = 1000

export interface WebhookOptions {
  readonly dataDir: string
  readonly version: string
  /** Events before this time are skipped if the webhook was never on before. */
  readonly since: string
  readonly settings: Config['webhook']
  reader(): Reader
}

interface Delivery {
  readonly id: string
  readonly events: readonly EventAnswer[]
  readonly upTo: number
}

/** Posts events as signed JSON, in the order of the log, at least once. Each delivery keeps its id over retries. */
export class Webhook implements Sender {
  readonly #options: WebhookOptions
  readonly #url: URL
  readonly #post: Post
  readonly #cursor: DeliveryCursor
  /** Null if all projects are wanted. */
  readonly #isWantedProject: ((name: string) => boolean) | null
  #delivered = 0
  #waiting = 0
  #countedAt = -Infinity
  /** Time at which the next batch had its first event; null if it is empty. */
  #firstSeenAt: number | null = null
  #batchSize: number
  #refusals = 0

  constructor(options: WebhookOptions) {
    const { dataDir, since, settings } = options
    this.#options = options
    this.#url = new URL(settings.url)
    this.#post = createPost(this.#url, settings.timeout_ms)
    this.#cursor = createDeliveryCursor(dataDir, 'webhook', since)
    this.#isWantedProject = settings.projects.length === 0 ? null : createGlob(settings.projects)
    this.#batchSize = settings.batch_size
  }

  async step(signal: AbortSignal, isLast: boolean): Promise<number | null> {
    const at = this.#dropOverflow(this.#cursor.of(this.#options.reader()))
    const next = this.#next(at, isLast)
    if (next === null || typeof next === 'number') return next
    // A pending delivery is empty if its events were deleted in the meantime.
    if (next.events.length === 0) this.#finish(next.upTo)
    else await this.#deliver(next, signal)
    return 0
  }

  status(): Omit<SinkStatus, 'problem'> {
    const dropped = this.#cursor.dropped()
    return { name: 'webhook', target: this.#url.host, delivered: this.#delivered, waiting: this.#waiting, dropped }
  }

  close(): void {
    this.#cursor.save()
    this.#post.close()
  }

  #wanted(after: number, since: string, upTo?: number): Wanted {
    const isWanted = this.#isWantedProject
    const projects =
      isWanted && projectsAfter(this.#options.reader(), after).filter((name) => name !== null && isWanted(name))
    const end = upTo === undefined ? {} : { up_to: upTo }
    return { after, since, kinds: this.#options.settings.kinds, projects: projects as string[] | null, ...end }
  }

  /** Counts waiting events and drops the oldest over the limit. */
  #dropOverflow(at: Cursor): Cursor {
    if (performance.now() - this.#countedAt < COUNT_EVERY_MS) return at
    const { reader, settings } = this.#options
    this.#countedAt = performance.now()
    this.#waiting = countMatching(reader(), this.#wanted(at.id, at.since))
    const excess = this.#waiting - settings.max_waiting
    if (excess <= 0) return at
    const id = positionOfMatch(reader(), this.#wanted(at.id, at.since), excess)
    if (id === null || id > deliverableUpTo(reader(), at.id).upTo) return at
    this.#waiting -= excess
    this.#refusals = 0
    this.#cursor.drop('overflow', excess)
    this.#cursor.move({ id, pending: null }, true)
    return this.#cursor.of(reader())
  }

  /** Returns the next delivery; a delay in ms if the batch may still grow; null if nothing is waiting. */
  #next(at: Cursor, isLast: boolean): Delivery | number | null {
    const { reader, settings } = this.#options
    const { upTo: newest, isHeld } = deliverableUpTo(reader(), at.id)
    const later = isHeld && !isLast ? HELD_MS : null
    if (at.pending !== null) {
      const { delivery: id, up_to: upTo } = at.pending
      if (isHeld && newest < upTo) return later
      return { events: [...matchingEvents(reader(), this.#wanted(at.id, at.since, upTo), MAX_BATCH)], id, upTo }
    }
    const events = fitting(matchingEvents(reader(), this.#wanted(at.id, at.since, newest), this.#batchSize))
    const last = events.at(-1)
    if (last === undefined) {
      this.#firstSeenAt = null
      if (newest > at.id) this.#cursor.move({ id: newest })
      return later
    }
    this.#firstSeenAt ??= performance.now()
    const delayMs = this.#firstSeenAt + settings.interval_ms - performance.now()
    if (events.length < this.#batchSize && delayMs > 0 && !isLast) return delayMs
    this.#firstSeenAt = null
    const id = uuidv7()
    // Saved before the first try, so that it continues under the same id after a crash.
    this.#cursor.move({ pending: { delivery: id, up_to: last.id } }, true)
    return { events, id, upTo: last.id }
  }

  #finish(upTo: number): void {
    this.#refusals = 0
    this.#waiting = 0
    this.#countedAt = -Infinity
    this.#cursor.move({ id: upTo, pending: null }, true)
  }

  async #deliver({ events, id, upTo }: Delivery, signal: AbortSignal): Promise<void> {
    const { dataDir, version, settings } = this.#options
    const secret = loadSecret(resolve(dataDir, settings.secret_file))
    const body = JSON.stringify({ delivery: id, events })
    const headers = signatureHeaders(secret, { id, at: new Date(), body })
    const outcome = await this.#post.send(body, { ...headers, 'user-agent': `aspy/${version}` }, signal)
    if (outcome === 'delivered') {
      this.#delivered += events.length
      this.#batchSize = Math.min(settings.batch_size, this.#batchSize * 2)
      return this.#finish(upTo)
    }
    if (outcome === 'too_large' && events.length > 1) {
      this.#batchSize = Math.ceil(events.length / 2)
      return this.#cursor.move({ pending: null }, true)
    }
    this.#refusals += 1
    if (outcome === 'refused' && this.#refusals < MAX_REFUSALS)
      throw new DeliveryFailure('it refused the delivery (400 or 422)')
    this.#cursor.drop(outcome, events.length)
    this.#finish(upTo)
  }
}

/** Takes events until the body is full, at least one. */
function fitting(events: Iterable<EventAnswer>): EventAnswer[] {
  const taken: EventAnswer[] = []
  let characters = 0
  for (const event of events) {
    characters += JSON.stringify(event).length
    if (taken.length > 0 && characters > MAX_BODY_CHARACTERS) break
    taken.push(event)
  }
  return taken
}
