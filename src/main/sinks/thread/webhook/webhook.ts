import { resolve } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import type { Config } from '../../../../shared/config.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import type { EventAnswer } from '../../../store/read/events.ts'
import { countWanted, newestId, positionOfWanted, projectsAfter, wantedEvents } from '../../../store/read/outbox.ts'
import type { Wanted } from '../../../store/read/outbox.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { createKeptPlace } from '../delivery-cursor.ts'
import type { Place } from '../../cursor-file.ts'
import type { Sender } from '../sender.ts'
import { DeliveryFailure } from '../sender.ts'
import { createPost } from './post.ts'
import { loadSecret, signatureHeaders } from './signature.ts'

/** A delivery ends at this size, whatever its count; a single larger event goes alone. */
const MAX_BODY_CHARACTERS = 1_000_000
/** No delivery has more events, whatever batch_size was when it was begun. */
const MAX_BATCH = 1000
/** A delivery that the other side will not take is offered this often before it is given up. */
const REFUSALS = 5
/** How often it is counted what waits. */
const COUNT_EVERY_MS = 1000

export interface WebhookOptions {
  readonly dataDir: string
  readonly version: string
  /** Since when it is switched on, where it is for the first time. */
  readonly since: string
  readonly settings: Config['webhook']
  reader(): Reader
}

/** Events as signed JSON to an address: in the order of the log, each delivery with an id that it keeps, at least once. */
export function createWebhook({ dataDir, version, since, settings, reader }: WebhookOptions): Sender {
  const url = new URL(settings.url)
  const post = createPost(url, settings.timeout_ms)
  const place = createKeptPlace(dataDir, 'webhook', since)
  const isWantedProject = settings.projects.length === 0 ? null : createGlob(settings.projects)
  let delivered = 0
  let waiting = 0
  let countedAt = -Infinity
  let firstSeenAt: number | null = null
  let batchSize = settings.batch_size
  let refusals = 0

  function wanted(after: number, since: string, upTo?: number): Wanted {
    const projects =
      isWantedProject && projectsAfter(reader(), after).filter((name) => name !== null && isWantedProject(name))
    const end = upTo === undefined ? {} : { up_to: upTo }
    return { after, since, kinds: settings.kinds, projects: projects as string[] | null, ...end }
  }

  /** Counts what waits; past the bound the oldest are given up. */
  function bound(at: Place): Place {
    if (performance.now() - countedAt < COUNT_EVERY_MS) return at
    countedAt = performance.now()
    waiting = countWanted(reader(), wanted(at.id, at.since))
    const tooMany = waiting - settings.max_waiting
    if (tooMany <= 0) return at
    const id = positionOfWanted(reader(), wanted(at.id, at.since), tooMany)
    if (id === null) return at
    waiting -= tooMany
    refusals = 0
    place.drop('overflow', tooMany)
    place.move({ id, pending: null }, true)
    return place.of(reader())
  }

  /** The events of the next delivery, and its id; null: not yet. */
  function next(at: Place, isLast: boolean): { events: EventAnswer[]; delivery: string; upTo: number } | number | null {
    if (at.pending !== null) {
      const { delivery, up_to: upTo } = at.pending
      return { events: [...wantedEvents(reader(), wanted(at.id, at.since, upTo), MAX_BATCH)], delivery, upTo }
    }
    const newest = newestId(reader())
    const events = fitting(wantedEvents(reader(), wanted(at.id, at.since, newest), batchSize))
    const last = events.at(-1)
    if (last === undefined) {
      firstSeenAt = null
      if (newest > at.id) place.move({ id: newest })
      return null
    }
    firstSeenAt ??= performance.now()
    const rest = firstSeenAt + settings.interval_ms - performance.now()
    if (events.length < batchSize && rest > 0 && !isLast) return rest
    firstSeenAt = null
    const delivery = uuidv7()
    // On disk before the first try: after an end it goes on under the same id.
    place.move({ pending: { delivery, up_to: last.id } }, true)
    return { events, delivery, upTo: last.id }
  }

  function done(upTo: number): void {
    refusals = 0
    waiting = 0
    countedAt = -Infinity
    place.move({ id: upTo, pending: null }, true)
  }

  async function deliver(events: readonly EventAnswer[], delivery: string, upTo: number, signal: AbortSignal) {
    const secret = loadSecret(resolve(dataDir, settings.secret_file))
    const body = JSON.stringify({ delivery, events })
    const headers = signatureHeaders(secret, { id: delivery, at: new Date(), body })
    const outcome = await post.send(body, { ...headers, 'user-agent': `aspy/${version}` }, signal)
    if (outcome === 'delivered') {
      delivered += events.length
      batchSize = Math.min(settings.batch_size, batchSize * 2)
      return done(upTo)
    }
    if (outcome === 'too_large' && events.length > 1) {
      batchSize = Math.ceil(events.length / 2)
      return place.move({ pending: null }, true)
    }
    refusals += 1
    if (outcome === 'refused' && refusals < REFUSALS)
      throw new DeliveryFailure('it refuses what it is sent (400 or 422)')
    place.drop(outcome, events.length)
    done(upTo)
  }

  return {
    async step(signal, isLast) {
      const at = bound(place.of(reader()))
      const found = next(at, isLast)
      if (found === null || typeof found === 'number') return found
      const { events, delivery, upTo } = found
      // What it was to bring was deleted meanwhile.
      if (events.length === 0) done(upTo)
      else await deliver(events, delivery, upTo, signal)
      return 0
    },
    status: () => ({ name: 'webhook', target: url.host, delivered, waiting, dropped: place.dropped() }),
    close() {
      place.save()
      post.close()
    },
  }
}

/** As many of the first as a body may hold, at least one. */
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
