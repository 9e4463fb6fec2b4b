import { createHash } from 'node:crypto'
import type { Config } from '../../../../shared/config.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import { countChanges, signatureAt, takesAway } from '../../../store/read/changes.ts'
import { logName } from '../../../store/read/outbox.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { readMembership, type TeamMembership } from '../../../team/device/membership-file.ts'
import { createTeamClient, type TeamClient } from '../../../team/device/team-client.ts'
import { MAX_BATCH_EVENTS } from '../../../team/protocol/batch.ts'
import { createKeyedIds, type KeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { createPolicy, type PolicyOf } from '../../../team/protocol/team-policy.ts'
import type { SinkStatus } from '../../protocol.ts'
import { DeliveryFailure, type Sender } from '../sender.ts'
import { BatchItems } from '../../team/batch-items.ts'
import { nextBatch, type NextBatch } from '../../team/next-batch.ts'
import { stillShared } from '../../team/still-shared.ts'
import { hasTeamCursor, readTeamCursor, writeTeamCursor, type TeamCursor } from '../../../team/device/team-cursor.ts'

/** Interval for looking at the change log: deletions and redactions announce no commit. */
const POLL_MS = 1000
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 20_000
/**
 * A few changes wait this long for more, since a batch costs the server as much as a hundred events. As many as this are
 * sent at once.
 */
const HOLD_MS = 5000
const HOLD_CHANGES = 500
/** A single change is sent this often before it is given up. */
const MAX_REFUSALS = 5
const NOTHING: NextBatch['content'] = { events: [], sessions: [], contents: [], removed: [], tombstones: [] }
/** Sessions in one request. */
const UNSHARED_AT_ONCE = 1000
/** Waiting changes are counted up to this many. */
const MAX_COUNTED = 100_000

export interface TeamSenderOptions {
  readonly dataDir: string
  readonly settings: Config['team']
  reader(): Reader
  /** Milliseconds of a clock that never runs backward. */
  readonly now?: () => number
  /** How long a few changes wait for more; tests set it. */
  readonly holdMs?: number | undefined
}

/** The team that was joined, and its server after it proved to be the same. */
interface Joined {
  readonly membership: TeamMembership
  readonly client: TeamClient
  readonly ids: KeyedIds
  readonly policyOf: PolicyOf
  readonly items: BatchItems
}

/** Sends the change log to the team that this device joined, in order, at least once; the server stores each fact once. */
export class TeamSender implements Sender {
  readonly #options: TeamSenderOptions
  /** The policy, which decides what is sent of each event. */
  readonly #policy: string
  #joined: Joined | null = null
  #cursor: TeamCursor | null = null
  #delivered = 0
  #waiting = 0
  #cut = 0
  #refused = 0
  /** Changes in one batch; halved while the server refuses one. */
  #limit = MAX_BATCH_EVENTS
  #refusals = 0
  #failures = 0
  /** When the first of the changes that wait for more was seen; null: none is held. */
  #heldSince: number | null = null
  /** True while there is more to send than a few changes, as after a start. */
  #isBehind = true

  constructor(options: TeamSenderOptions) {
    const { policy, projects, exclude } = options.settings
    this.#options = options
    this.#policy = createHash('sha256')
      .update(JSON.stringify([policy, projects, exclude]))
      .digest('hex')
  }

  async step(signal: AbortSignal, isLast: boolean): Promise<number | null> {
    try {
      const wait = await this.#step(signal, isLast)
      this.#failures = 0
      return wait
    } catch (error) {
      if (!(error instanceof AspyError)) throw error
      // The device may have joined again.
      if (error.code === 'unauthorized') this.#joined = null
      // A team's server is back soon, and a month of history may wait for it.
      const most = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures)
      this.#failures += 1
      throw new DeliveryFailure(error.message, most / 2 + (Math.random() * most) / 2)
    }
  }

  async #step(signal: AbortSignal, isLast: boolean): Promise<number | null> {
    const joined = (this.#joined ??= this.#join())
    const reader = this.#options.reader()
    const cursor = await this.#cursorOf(joined, reader)
    this.#waiting = countChanges(reader, cursor.position, MAX_COUNTED)
    if (!isLast && this.#holds(reader, cursor.position)) return POLL_MS
    const next = nextBatch(reader, cursor.position, { items: joined.items, limit: this.#limit })
    if (next === null) return isLast ? null : POLL_MS
    const signature = signatureAt(reader, next.upTo)
    const isSent = await this.#send(joined, cursor, next, signal)
    if (!isSent) return 0
    this.#heldSince = null
    // A refused batch is sent in parts.
    this.#isBehind = next.upTo - cursor.position >= HOLD_CHANGES || this.#limit < MAX_BATCH_EVENTS
    this.#cursor = { ...cursor, position: next.upTo, signature }
    writeTeamCursor(this.#options.dataDir, this.#cursor)
    this.#delivered += next.content.events.length
    this.#cut += next.cut
    this.#refused += next.refused
    this.#limit = Math.min(MAX_BATCH_EVENTS, this.#limit * 2)
    this.#refusals = 0
    this.#waiting = Math.max(0, this.#waiting - (next.upTo - cursor.position))
    return 0
  }

  /** Returns whether the changes wait for more. Removals do not wait. */
  #holds(reader: Reader, position: number): boolean {
    if (this.#waiting === 0) this.#isBehind = false
    if (this.#isBehind || this.#waiting === 0 || this.#waiting >= HOLD_CHANGES) return false
    const now = (this.#options.now ?? performance.now.bind(performance))()
    this.#heldSince ??= now
    return now - this.#heldSince < (this.#options.holdMs ?? HOLD_MS) && !takesAway(reader, position, HOLD_CHANGES)
  }

  status(): Omit<SinkStatus, 'problem'> {
    const dropped = {
      ...(this.#cut === 0 ? {} : { too_large: this.#cut }),
      ...(this.#refused === 0 ? {} : { refused: this.#refused }),
    }
    const target = new URL(this.#options.settings.url).host
    return { name: 'team', target, delivered: this.#delivered, waiting: this.#waiting, dropped }
  }

  close(): void {
    this.#joined = null
  }

  #join(): Joined {
    const { dataDir, settings } = this.#options
    const membership = readMembership(dataDir)
    if (membership === null)
      throw new DeliveryFailure('this device joined no team; run aspy team join URL CODE', POLL_MS)
    if (membership.url !== settings.url.replace(/\/+$/, ''))
      throw new DeliveryFailure('this device joined another team; run aspy team join URL CODE', POLL_MS)
    if (membership.role === 'reader')
      throw new DeliveryFailure('a reader of the team cannot send; remove url under [team]')
    const ids = createKeyedIds(Buffer.from(membership.hash_key, 'base64'))
    const policyOf = createPolicy(settings, createGlob, ids)
    return { membership, client: createTeamClient(membership), ids, policyOf, items: new BatchItems(ids, policyOf) }
  }

  /** Returns the cursor, checked once against the server and with each step against the log. */
  async #cursorOf(joined: Joined, reader: Reader): Promise<TeamCursor> {
    const log = logName(reader)
    if (this.#cursor !== null && this.#cursor.position > 0 && !hasTeamCursor(this.#options.dataDir)) this.#cursor = null
    const known = this.#cursor ?? (await this.#cursorFromStart(joined, log))
    const isSame = known.position === 0 || isSameEntry(known.signature, signatureAt(reader, known.position))
    const policy = this.#policy
    const isValid = known.log === log && known.policy === policy && isSame
    this.#cursor = isValid ? known : { ...known, log, policy, epoch: known.epoch + 1, position: 0, signature: null }
    return this.#cursor
  }

  async #cursorFromStart(joined: Joined, log: string): Promise<TeamCursor> {
    const { membership, client } = joined
    let target = await client.target()
    if (target.target_id !== membership.target_id)
      throw new DeliveryFailure("the server's store is not the one that this device joined; run aspy team join again")
    const stored = readTeamCursor(this.#options.dataDir)
    // Sending everything again may take long. Until then, nobody else may read data that is no longer shared.
    if (target.can_unshare && stored?.policy !== this.#policy && (await this.#unshare(joined)))
      target = await client.target()
    const taken = target.positions.find((one) => one.log === log)
    const fits = stored !== null && stored.target === target.target_id && stored.log === log
    // The server's state decides: a cursor that is ahead of it, or has another epoch, starts over.
    if (fits && stored.epoch === (taken?.epoch ?? 0) && stored.position <= (taken?.position ?? 0)) return stored
    const epoch = taken === undefined ? 0 : taken.epoch + 1
    return { target: target.target_id, log, epoch, position: 0, signature: null, policy: this.#policy }
  }

  /**
   * Withdraws sessions from other members' access if the policy now shares less of them. Returns whether there were
   * any.
   */
  async #unshare({ client, ids, policyOf }: Joined): Promise<boolean> {
    const still = stillShared(this.#options.reader(), await client.shared(), ids, policyOf)
    for (let at = 0; at < still.length; at += UNSHARED_AT_ONCE)
      await client.unshare(still.slice(at, at + UNSHARED_AT_ONCE).map(({ key }) => key))
    return still.length > 0
  }

  /**
   * Sends a batch. A refused one is sent in halves; a single change that is refused again and again is given up, since it
   * would hold up everything after it. Returns false if there is a smaller batch to try.
   */
  async #send(joined: Joined, cursor: TeamCursor, next: NextBatch, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#post(joined, cursor, next.upTo, next.content, signal)
      return true
    } catch (error) {
      if (!(error instanceof AspyError)) throw error
      if (error.code !== 'bad_input' && error.code !== 'too_large') throw this.#failure(joined, error)
      const changes = next.upTo - cursor.position
      if (changes > 1) {
        this.#limit = Math.ceil(changes / 2)
        return false
      }
      this.#refusals += 1
      if (this.#refusals < MAX_REFUSALS) throw this.#failure(joined, error)
      await this.#post(joined, cursor, next.upTo, NOTHING, signal)
      this.#refused += next.content.events.length
      return true
    }
  }

  #failure({ membership }: Joined, { code, message }: AspyError): AspyError {
    // The next step asks the server for its position.
    this.#cursor = null
    return new AspyError(
      code,
      code === 'unauthorized' ? `${new URL(membership.url).host} refuses this device: ${message}` : message,
    )
  }

  async #post(
    { client }: Joined,
    { target, log, epoch, position }: TeamCursor,
    upTo: number,
    content: NextBatch['content'],
    signal: AbortSignal,
  ): Promise<void> {
    await client.send({ target_id: target, log, epoch, after: position, up_to: upTo, ...content }, signal)
  }
}

/** An entry whose event was deleted meanwhile cannot be compared by uuid. */
function isSameEntry(stored: string | null, now: string | null): boolean {
  if (stored === null || now === null) return false
  const [kind, name] = stored.split(' ')
  const [kindNow, nameNow] = now.split(' ')
  return kind === kindNow && (name === nameNow || nameNow === '')
}
