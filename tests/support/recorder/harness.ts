import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { createTap, type Tap } from '../../../src/main/proxy/tap.ts'
import type { ExchangeOutcome, RawHeaders } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import { RecorderHost, type RecorderHealth } from '../../../src/main/recorder/host/recorder-host.ts'
import type { RecorderTiming } from '../../../src/main/recorder/host/timing.ts'
import { configSchema, type ConfigInput } from '../../../src/shared/config.ts'
import type { Delta, EventSummary } from '../../../src/shared/live-feed.ts'
import { streamedPieces, wholePieces, type Answer } from '../upstream/messages-answer.ts'

/** A recorder in a separate thread behind a real tap. */
export interface RecorderUnderTest {
  readonly dataDir: string
  readonly tap: Tap
  readonly recorder: RecorderHost
  readonly events: readonly EventSummary[]
  readonly deltas: readonly Delta[]
  health(): RecorderHealth
  /** Whether the newest recorder knows of transcripts to follow. */
  mayFollow(): boolean
  /** Waits until the tap holds nothing and no hook waits. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export interface UnderTestOptions {
  readonly config?: ConfigInput
  readonly timing?: Partial<RecorderTiming>
  readonly maxQueueBytes?: number
  readonly entry?: URL
  /** Return before the first recorder is ready. */
  readonly atOnce?: boolean
  /** An exchange is safe. */
  readonly onAcknowledge?: (exchange: string) => void
}

export async function startRecorder(dataDir: string, options: UnderTestOptions = {}): Promise<RecorderUnderTest> {
  const events: EventSummary[] = []
  const deltas: Delta[] = []
  let ready: () => void = () => undefined
  let mayFollow = false
  const firstReady = new Promise<void>((resolve) => (ready = resolve))
  const recorder = new RecorderHost({
    dataDir,
    config: configSchema.parse(options.config ?? {}),
    appVersion: '0.0.0-test',
    isDemo: false,
    ...(options.entry ? { entry: options.entry } : {}),
    timing: { minBackoffMs: 10, maxBackoffMs: 50, ...options.timing },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    onAcknowledge(exchange) {
      tap.acknowledge(exchange)
      options.onAcknowledge?.(exchange)
    },
    onHook: () => tap.flush(),
    onReady(may) {
      mayFollow = may
      tap.replay()
      ready()
    },
    onLive(batch) {
      events.push(...batch.events)
      deltas.push(...batch.deltas)
    },
  })
  const tap = createTap({
    maxQueueBytes: options.maxQueueBytes ?? 64 * 1024 * 1024,
    post: (parcels, transfer) => recorder.post(parcels, transfer),
  })
  recorder.start()
  if (!options.atOnce) await firstReady
  return {
    dataDir,
    tap,
    recorder,
    events,
    deltas,
    health: () => recorder.health(),
    mayFollow: () => mayFollow,
    async settled() {
      await until(() => tap.stats().queue_bytes === 0 && recorder.health().hooks_waiting === 0)
    },
    stop: () => recorder.stop(120_000),
  }
}

/** Waits for a condition. */
export async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true)
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Content = string | readonly object[]
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

export interface SentExchange {
  readonly session?: string
  readonly agent?: string
  readonly messages?: readonly Message[]
  readonly prompt?: string
  readonly body?: object | string
  readonly path?: string
  readonly answer?: Answer
  readonly stream?: boolean
  readonly encoding?: 'gzip' | 'br' | 'deflate' | 'zstd'
  readonly outcome?: ExchangeOutcome
  /** Bytes of the answer in one piece. */
  readonly pieceBytes?: number
  /** Runs between any two pieces. */
  readonly between?: () => Promise<unknown>
}

const MODEL = 'claude-sonnet-4-5'
const PACK = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync }

/** Passes one exchange through the tap, as the proxy would. */
export async function pass(tap: Tap, sent: SentExchange): Promise<string> {
  const { session = 'session-1', stream = true, encoding, outcome = 'complete', pieceBytes = 300 } = sent
  const headers: RawHeaders = [
    ['host', '127.0.0.1'],
    ['x-api-key', 'sk-ant-api03-dummy'],
    ['x-claude-code-session-id', session],
    ...(sent.agent === undefined ? [] : ([['x-claude-code-agent-id', sent.agent]] as const)),
    ['user-agent', 'claude-cli/2.1.330 (external, sdk-cli)'],
    ['content-type', 'application/json'],
  ]
  const between = sent.between ?? (() => Promise.resolve())
  const exchange = tap.open({ method: 'POST', path: sent.path ?? '/v1/messages?beta=true', headers: headers.flat() })
  exchange.requestBytes(Buffer.from(bodyOf(sent, stream)))
  await between()
  exchange.requestEnd()
  await between()
  if (outcome === 'upstream_unreachable') {
    exchange.end(outcome, 'connection refused')
    return exchange.id
  }
  exchange.responseHead(sent.answer?.status ?? 200, [
    'content-type',
    stream ? 'text/event-stream; charset=utf-8' : 'application/json',
    'request-id',
    'req_1',
    ...(encoding === undefined ? [] : ['content-encoding', encoding]),
  ])
  const bytes = answerBytes(sent.answer ?? { steps: [{ text: 'fine' }] }, stream)
  const packed = encoding === undefined ? bytes : PACK[encoding](bytes)
  for (let at = 0; at < packed.length; at += pieceBytes) {
    exchange.responseBytes(packed.subarray(at, at + pieceBytes))
    await between()
  }
  exchange.end(outcome)
  return exchange.id
}

function bodyOf({ body, messages, prompt = 'hello there' }: SentExchange, stream: boolean): string {
  if (typeof body === 'string') return body
  return JSON.stringify(
    body ?? {
      model: MODEL,
      max_tokens: 1024,
      stream,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;' },
        { type: 'text', text: 'You are Claude Code.\nWorking directory: /home/me/project' },
      ],
      tools: [{ name: 'Bash', description: 'runs', input_schema: { type: 'object' } }],
      messages: messages ?? [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    },
  )
}

function answerBytes(answer: Answer, stream: boolean): Buffer {
  const pieces = stream ? streamedPieces(answer, MODEL) : wholePieces(answer, MODEL)
  return Buffer.from(
    pieces
      .map((piece) => {
        if (piece.kind === 'event') return `event: ${piece.type}\ndata: ${JSON.stringify(piece.data)}\n\n`
        return piece.kind === 'raw' ? piece.text : ''
      })
      .join(''),
  )
}

export interface Row {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly seq: number
  readonly kind: string
  readonly source: string
  readonly parent_uuid: string | null
  readonly payload: string
}

/** Opens the database to look at; closes it again. */
export function look<T>(dataDir: string, read: (db: Database.Database) => T): T {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

export const rows = (dataDir: string): Row[] =>
  look(dataDir, (db) => db.prepare<[], Row>('SELECT * FROM events ORDER BY id').all())

export const kinds = (dataDir: string, session?: string) =>
  rows(dataDir)
    .filter((row) => session === undefined || row.session_id === session)
    .map((row) => row.kind)

/** Number of occurrences of each kind. */
export function countKinds(dataDir: string, session?: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of kinds(dataDir, session)) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Returns a hook as the bytes that a client posts. */
export function hookBytes(hook: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(hook))
}
