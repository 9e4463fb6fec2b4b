import { randomUUID } from 'node:crypto'
import { createPipeline } from '../../../src/main/pipeline/pipeline.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { createAgentCalls } from '../../../src/main/recorder/thread/capture/agent-calls.ts'
import { createConversations } from '../../../src/main/recorder/thread/capture/conversation.ts'
import { Exchanges } from '../../../src/main/recorder/thread/capture/exchanges.ts'
import { UnnamedSessions } from '../../../src/main/recorder/thread/capture/unnamed-sessions.ts'
import { LiveBatcher } from '../../../src/main/recorder/live-batcher.ts'
import type { RawHeaders } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { HASH_KEY } from '../store/folder.ts'

export interface TimedExchange {
  /** Milliseconds since 1970. */
  readonly wall: number
  readonly session: string
  readonly body: object
  /** Absent: the path of a message. */
  readonly path?: string
  readonly betas?: readonly string[]
  readonly agent?: string
  /** The API key that asks. */
  readonly key?: string
  /** Of Claude Code. */
  readonly version?: string
  /** Instead of those of Claude Code. */
  readonly headers?: RawHeaders
  /** Absent: 200. */
  readonly status?: number
  /** The answer without streaming. */
  readonly answer: object
  /** The upstream's clock when it answered, in ms since 1970; absent: it does not say. */
  readonly answeredAt?: number
  /** Milliseconds from the request to the end of its answer. */
  readonly tookMs?: number
  /** Whoever cut the exchange before a byte of its answer, behind the usual crowd of headers. */
  readonly cut?: 'client_aborted' | 'upstream_aborted'
  /** Milliseconds since the process started. */
  readonly monotonic?: number
}

const log = () => undefined

/** Records exchanges at given times: the recorder's own decoders and store, in this thread. */
export function createTimedExchanges(store: Store) {
  const redactor = createRedactor({ hashKey: HASH_KEY, enabled: true })
  const logger = { debug: log, info: log, warn: log, error: log }
  const exchanges = new Exchanges({
    redactor,
    pipeline: createPipeline({ redactor, isDemo: false, logger, processors: [] }),
    conversations: createConversations({
      redactor,
      putContent: (text) => store.ingest.putContent(text),
      lastRequest: (session, agent) => store.ingest.lastRequest(session, agent),
    }),
    agentCalls: createAgentCalls(redactor.hash),
    unnamed: new UnnamedSessions(redactor.hash, () => []),
    live: new LiveBatcher(redactor, log),
    unfinished: { begun: () => undefined, grew: () => undefined, ended: () => undefined },
    vitalSigns: { workOn: log },
    enqueue(group) {
      store.ingest.append(group.drafts)
      group.onSettled('stored')
    },
    acknowledge: log,
    onFailure(_, { message }) {
      throw new Error(message)
    },
  })
  const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value))

  /** Sends a request; what it returns records the answer. Requests that run at the same time are started first. */
  async function start(sent: TimedExchange): Promise<() => Promise<string>> {
    const { wall, session, body, betas = [], agent, key, answer, answeredAt, tookMs = 4, monotonic: at = 1 } = sent
    const exchange = randomUUID()
    const headers = sent.headers ?? [
      ['x-claude-code-session-id', session],
      ['user-agent', `claude-cli/${sent.version ?? '2.1.330'} (external, cli)`],
      ...(agent === undefined ? [] : [['x-claude-code-agent-id', agent] as const]),
      ...(key === undefined ? [] : [['x-api-key', key] as const]),
      ...(betas.length > 0 ? [['anthropic-beta', betas.join(',')] as const] : []),
    ]
    const told = [
      ['content-type', 'application/json'],
      ...(answeredAt === undefined ? [] : [['date', new Date(answeredAt).toUTCString()] as const]),
    ] as const
    exchanges.receive({
      type: 'open',
      exchange,
      at,
      wall,
      method: 'POST',
      path: sent.path ?? '/v1/messages?beta=true',
      headers,
    })
    exchanges.receive({ type: 'request_bytes', exchange, at, bytes: bytes(body) })
    exchanges.receive({ type: 'request_end', exchange, at })
    await exchanges.idle()
    return async () => {
      if (sent.cut !== undefined) {
        const crowd = Array.from({ length: 40 }, (_, n) => [`anthropic-header-${n}`, `its value ${n}`] as const)
        exchanges.receive({ type: 'response_head', exchange, at, status: 200, headers: [...told, ...crowd] })
        exchanges.receive({ type: 'end', exchange, at: at + tookMs, outcome: sent.cut, error: null })
        await exchanges.idle()
        return exchange
      }
      exchanges.receive({ type: 'response_head', exchange, at: at + tookMs, status: sent.status ?? 200, headers: told })
      exchanges.receive({ type: 'response_bytes', exchange, at: at + tookMs, bytes: bytes(answer) })
      exchanges.receive({ type: 'end', exchange, at: at + tookMs, outcome: 'complete', error: null })
      await exchanges.idle()
      return exchange
    }
  }
  return Object.assign(async (sent: TimedExchange) => (await start(sent))(), { start })
}
