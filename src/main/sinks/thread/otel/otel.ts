import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../../shared/config.ts'
import type { AnyEvent } from '../../../../shared/event.ts'
import {
  clientOfSession,
  costsOfTurn,
  deliverableUpTo,
  heldSessions,
  eventsOfTurn,
  lastResponse,
  turnEnd,
  turnsIn,
} from '../../../store/read/outbox.ts'
import type { Reader } from '../../../store/read/reader.ts'
import { createDeliveryCursor } from '../delivery-cursor.ts'
import type { Cursor } from '../../cursor-file.ts'
import { DeliveryFailure, type Sender } from '../sender.ts'
import type { TraceExporter } from './exporter.ts'
import type { SpanOptions, SpanPlan } from './span-plan.ts'
import { turnSpans } from './turn-spans.ts'

/** Hooks and transcript lines may arrive shortly after a turn's end. */
const SETTLE_MS = 1500
/** A turn without an end event counts as over after this long without an event. */
const ABANDONED_MS = 10 * 60_000
const TURNS_PER_BATCH = 20
const MAX_EVENTS = 20_000
const MAX_TEXT_CHARACTERS = 32_000
/** Events scanned in one step. */
const SCAN_EVENTS = 5000
/** Turns dropped last whose later events are recognised, so that no turn is counted twice. */
const REMEMBERED_DROPS = 10_000
/** Stop reasons after which the turn continues. */
const CONTINUES = new Set(['tool_use', 'pause_turn'])

export interface OtelOptions {
  readonly dataDir: string
  readonly version: string
  readonly since: string
  readonly settings: Config['otel']
  reader(): Reader
  /** The membership of this device; null without a team. */
  membership(): NonNullable<SpanOptions['team']> | null
}

type OpenTurn = Cursor['turns'][number]

/** Sends each finished turn as a trace to an OpenTelemetry collector. Later events of the turn are added to the same trace. */
export function createOtel(options: OtelOptions): Sender {
  const { dataDir, version, since, settings, reader } = options
  const cursor = createDeliveryCursor(dataDir, 'otel', since)
  let exporter: TraceExporter | null = null
  const dropped = new Set<string>()
  let delivered = 0
  let waiting = 0

  /** Loads the SDK with the first trace. */
  async function openExporter(): Promise<TraceExporter> {
    const { createTraceExporter } = await import('./exporter.ts')
    const headers = settings.headers_file === '' ? {} : readHeaders(resolve(dataDir, settings.headers_file))
    exporter ??= createTraceExporter({
      endpoint: settings.endpoint,
      headers,
      version,
      maxTextLength: MAX_TEXT_CHARACTERS,
    })
    return exporter
  }

  /** Scans the next part of the log. `isMore`: continue at once; `isHeld`: once pending deletions are undone or done. */
  function scan(at: Cursor): { readonly isMore: boolean; readonly isHeld: boolean } {
    const { upTo: newest, isHeld } = deliverableUpTo(reader(), at.id)
    const upTo = Math.min(newest, at.id + SCAN_EVENTS)
    if (upTo <= at.id) return { isMore: false, isHeld }
    const known = new Map(at.turns.map((turn) => [keyOf(turn), turn]))
    for (const turn of turnsIn(reader(), { after: at.id, up_to: upTo, since: at.since }))
      if (!known.has(keyOf(turn)) && !dropped.has(keyOf(turn))) known.set(keyOf(turn), turn)
    const turns = [...known.values()]
    const tooMany = Math.max(0, turns.length - settings.max_waiting)
    cursor.drop('overflow', tooMany)
    remember(dropped, turns.slice(0, tooMany).map(keyOf))
    cursor.move({ id: upTo, turns: turns.slice(tooMany) })
    return { isMore: upTo < newest, isHeld }
  }

  function isOver({ session_id, turn_id }: OpenTurn): boolean {
    const { last_at, has_ended, has_later, open_requests, open_calls } = turnEnd(reader(), session_id, turn_id)
    if (last_at === null) return true
    const restedMs = Date.now() - Date.parse(last_at)
    if (restedMs > ABANDONED_MS) return true
    if (restedMs < SETTLE_MS || open_requests > 0) return false
    if (has_ended || has_later) return true
    // Without a hook for its end, the turn ends with a response that does not continue it.
    const stop = open_calls > 0 ? null : lastResponse(reader(), session_id, turn_id)?.payload['stop_reason']
    return typeof stop === 'string' && !CONTINUES.has(stop)
  }

  async function deliver(turns: readonly OpenTurn[], signal: AbortSignal): Promise<void> {
    const spans = turns.flatMap((turn) => spansOf(turn, options))
    const send = await openExporter()
    try {
      await unlessAborted(send.send(spans), signal)
    } catch (error) {
      throw new DeliveryFailure(`the collector did not accept it (${reasonOf(error)})`)
    }
    const sent = new Set(turns.map(keyOf))
    delivered += turns.length
    const { turns: open } = cursor.of(reader())
    cursor.move({ turns: open.filter((turn) => !sent.has(keyOf(turn))) }, true)
  }

  return {
    async step(signal, isLast) {
      const { isMore, isHeld } = scan(cursor.of(reader()))
      const { turns } = cursor.of(reader())
      const held = heldSessions(reader())
      const over: OpenTurn[] = []
      for (const turn of turns) {
        if (over.length >= TURNS_PER_BATCH) break
        if (!held.has(turn.session_id) && isOver(turn)) over.push(turn)
      }
      waiting = turns.length
      if (over.length > 0) {
        await deliver(over, signal)
        waiting -= over.length
        return 0
      }
      if (isMore) return 0
      return turns.length === 0 && (!isHeld || isLast) ? null : SETTLE_MS
    },
    status: () => ({
      name: 'otel',
      target: new URL(settings.endpoint).host,
      delivered,
      waiting,
      dropped: cursor.dropped(),
    }),
    close() {
      cursor.save()
      void exporter?.close().catch(() => undefined)
    },
  }
}

/** Returns the spans of a turn; if it was sent before, only new ones and the root, whose end has moved. */
function spansOf({ session_id, turn_id, from }: OpenTurn, { settings, reader, membership }: OtelOptions): SpanPlan[] {
  const events = eventsOfTurn(reader(), session_id, turn_id, MAX_EVENTS) as unknown as AnyEvent[]
  const all = turnSpans(events, {
    content: settings.content,
    ...clientOfSession(reader(), session_id),
    team: membership(),
    costs: costsOfTurn(reader(), session_id, turn_id),
  })
  return all.filter(({ lastId, parent }) => parent === null || lastId >= from)
}

const keyOf = ({ session_id, turn_id }: Pick<OpenTurn, 'session_id' | 'turn_id'>) => `${turn_id} ${session_id}`

/** Adds keys; forgets the oldest over the bound. */
function remember(dropped: Set<string>, keys: readonly string[]): void {
  for (const key of keys) dropped.add(key)
  for (const key of dropped) {
    if (dropped.size <= REMEMBERED_DROPS) break
    dropped.delete(key)
  }
}

/** Rejects when aborted. The SDK has its own timeout and cannot be cancelled. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = () => reject(new Error('stopped'))
  if (signal.aborted) give()
  signal.addEventListener('abort', give, { once: true })
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', give)
  }
}

/** Reads one `name: value` per line. */
function readHeaders(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return Object.fromEntries(
    lines.flatMap((line) => {
      const match = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line)
      return match === null ? [] : [[match[1] ?? '', match[2] ?? '']]
    }),
  )
}

/** Returns a status or a code, never the message, which may quote the response. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error ? error.code : undefined
  if (typeof code === 'number') return `status ${code}`
  if (typeof code === 'string') return code
  return error.message === 'Timeout' ? 'timed out' : error.name
}
