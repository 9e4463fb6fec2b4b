import { randomUUID } from 'node:crypto'
import { createPipeline } from '../../../src/main/pipeline/pipeline.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { createAgentCalls } from '../../../src/main/recorder/thread/capture/agent-calls.ts'
import { createConversations } from '../../../src/main/recorder/thread/capture/conversation.ts'
import { Exchanges } from '../../../src/main/recorder/thread/capture/exchanges.ts'
import { UnnamedSessions } from '../../../src/main/recorder/thread/capture/unnamed-sessions.ts'
import { LiveBatcher } from '../../../src/main/recorder/live-batcher.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { HASH_KEY } from '../store/folder.ts'

export interface TimedExchange {
  /** Milliseconds since 1970. */
  readonly wall: number
  readonly session: string
  readonly body: object
  readonly betas?: readonly string[]
  /** The answer without streaming. */
  readonly answer: object
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
  return async ({ wall, session, body, betas = [], answer }: TimedExchange): Promise<string> => {
    const exchange = randomUUID()
    const headers = [
      ['x-claude-code-session-id', session],
      ['user-agent', 'claude-cli/2.1.330 (external, cli)'],
      ...(betas.length > 0 ? [['anthropic-beta', betas.join(',')] as const] : []),
    ] as const
    const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value))
    exchanges.receive({ type: 'open', exchange, at: 1, wall, method: 'POST', path: '/v1/messages?beta=true', headers })
    exchanges.receive({ type: 'request_bytes', exchange, at: 1, bytes: bytes(body) })
    exchanges.receive({ type: 'request_end', exchange, at: 2 })
    const json = [['content-type', 'application/json']] as const
    exchanges.receive({ type: 'response_head', exchange, at: 3, status: 200, headers: json })
    exchanges.receive({ type: 'response_bytes', exchange, at: 4, bytes: bytes(answer) })
    exchanges.receive({ type: 'end', exchange, at: 5, outcome: 'complete', error: null })
    await exchanges.idle()
    return exchange
  }
}
