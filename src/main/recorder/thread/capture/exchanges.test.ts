import { expect, test } from 'vitest'
import { createSpareMemory } from '../../../base/spare-memory.ts'
import type { TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import { createPipeline } from '../../../pipeline/pipeline.ts'
import { createRedactor } from '../../../redaction/create-redactor.ts'
import { createAgentCalls } from './agent-calls.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import { UnnamedSessions } from './unnamed-sessions.ts'
import { createConversations } from './conversation.ts'
import { Exchanges } from './exchanges.ts'
import { LiveBatcher } from '../../live-batcher.ts'

const log = () => undefined

/** Real decoders; redaction throws on any draft of the session `poison` and of the given kinds. */
function makeExchanges(poisonKinds: readonly string[]) {
  const redactor = createRedactor({ hashKey: Buffer.alloc(32), enabled: true })
  const pipeline = createPipeline({
    redactor,
    isDemo: false,
    logger: { debug: log, info: log, warn: log, error: log },
    processors: [],
  })
  const groups: CommitGroup[] = []
  const acknowledged: string[] = []
  const failures: string[] = []
  const begun: string[] = []
  const live = new LiveBatcher(redactor, log)
  const exchanges = new Exchanges({
    redactor,
    pipeline: {
      ...pipeline,
      redact(draft) {
        if (draft.session_id === 'poison' && poisonKinds.includes(draft.kind)) throw new TypeError('as asked')
        return pipeline.redact(draft)
      },
    },
    conversations: createConversations({ redactor, putContent: redactor.hash, lastRequest: () => null }),
    agentCalls: createAgentCalls(redactor.hash),
    unnamed: new UnnamedSessions(redactor.hash, () => []),
    live,
    unfinished: { begun: ({ id }) => void begun.push(id), grew: () => undefined, ended: () => undefined },
    vitalSigns: { workOn: log },
    enqueue: (group) => void groups.push(group),
    acknowledge: (exchange) => void acknowledged.push(exchange),
    onFailure: (exchange) => void failures.push(exchange),
  })
  return {
    exchanges,
    acknowledged,
    failures,
    begun,
    /** What a commit does before it writes. */
    async written() {
      await exchanges.idle()
      for (const group of groups.splice(0)) group.onWrite?.()
    },
    async committed() {
      await exchanges.idle()
      live.flush()
      for (const group of groups) group.onSettled('stored')
      return groups.flatMap((group) => group.drafts)
    },
  }
}

function messagesOf(exchange: string, session: string): TapMessage[] {
  const body = { model: 'm', max_tokens: 9, tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'hi all' }] }
  const answer = {
    id: `msg_${exchange}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const headers = [['x-claude-code-session-id', session]] as const
  return [
    { type: 'open', exchange, at: 1, wall: 1000, method: 'POST', path: '/v1/messages', headers },
    { type: 'request_bytes', exchange, at: 1, bytes: new TextEncoder().encode(JSON.stringify(body)) },
    { type: 'request_end', exchange, at: 2 },
    { type: 'response_head', exchange, at: 3, status: 200, headers: [['content-type', 'application/json']] },
    { type: 'response_bytes', exchange, at: 4, bytes: new TextEncoder().encode(JSON.stringify(answer)) },
    { type: 'end', exchange, at: 5, outcome: 'complete', error: null },
  ]
}

test.each([
  {
    where: 'its request',
    kinds: ['model_request'],
    left: ['user_prompt', 'assistant_text', 'api_usage', 'model_response'],
  },
  {
    where: 'its response',
    kinds: ['api_usage'],
    left: ['user_prompt', 'model_request', 'assistant_text', 'model_response'],
  },
])(
  'an exception in $where is reported once and acknowledged; the rest and the others are kept',
  async ({ kinds, left }) => {
    const { exchanges, committed, acknowledged, failures } = makeExchanges(kinds)
    const poison = messagesOf('x', 'poison')
    const fine = messagesOf('y', 'fine')
    for (const [at, message] of poison.entries()) {
      exchanges.receive(message)
      const other = fine[at]
      if (other) exchanges.receive(other)
    }
    const drafts = await committed()
    const ofPoison = drafts.filter((draft) => draft.session_id === 'poison')
    expect(ofPoison.map((draft) => draft.kind)).toEqual(expect.arrayContaining(left))
    expect(ofPoison.filter((draft) => draft.kind === 'error')).toMatchObject([
      { payload: { origin: 'capture', type: 'decode_failed', message: expect.stringContaining('as asked') } },
    ])
    expect(drafts.filter((draft) => draft.session_id === 'fine').map((draft) => draft.kind)).toEqual([
      'user_prompt',
      'model_request',
      'assistant_text',
      'api_usage',
      'turn_ended',
      'model_response',
    ])
    expect(failures).toEqual(['x'])
    expect(acknowledged.toSorted()).toEqual(['x', 'y'])
  },
)

test('a discarded exchange adds nothing more and is not acknowledged', async () => {
  const { exchanges, committed, acknowledged } = makeExchanges([])
  const messages = messagesOf('x', 's')
  for (const message of messages.slice(0, 2)) exchanges.receive(message)
  exchanges.receive({ type: 'discard', exchange: 'x', at: 9, reason: 'queue_full' })
  for (const message of messages.slice(2)) exchanges.receive(message)
  expect(await committed()).toEqual([])
  expect(acknowledged).toEqual([])
})

/** Its environment block names the working directory behind a long system prompt. */
function messagesInFolder(exchange: string, folder: string): TapMessage[] {
  const rules = 'A rule to keep to. '.repeat(10_000)
  const body = {
    model: 'm',
    max_tokens: 9,
    system: [{ type: 'text', text: `You are Claude Code.\n${rules}\nWorking directory: ${folder}\n` }],
    messages: [{ role: 'user', content: 'hi all' }],
  }
  return messagesOf(exchange, 's').map((message) =>
    message.type === 'request_bytes' ? { ...message, bytes: new TextEncoder().encode(JSON.stringify(body)) } : message,
  )
}

/** Returns the projects that the drafts name; the drafts themselves are garbage. */
async function projectsOf(exchangeCount: number): Promise<readonly (string | null | undefined)[]> {
  const { exchanges, committed } = makeExchanges([])
  for (let at = 0; at < exchangeCount; at += 1)
    for (const message of messagesInFolder(`x${at}`, `/home/ada/project-${at}`)) exchanges.receive(message)
  return (await committed()).flatMap(({ kind, project }) => (kind === 'api_usage' ? [project] : []))
}

test('what drafts say about their sender does not keep its system prompt in memory', async () => {
  const exchangeCount = 40
  const spareMemory = createSpareMemory()
  const usedMegabytes = () => {
    spareMemory.giveBack(true)
    return process.memoryUsage().heapUsed / 1024 / 1024
  }
  const before = usedMegabytes()
  const projects = await projectsOf(exchangeCount)
  const kept = usedMegabytes() - before
  expect(projects).toEqual(Array.from({ length: exchangeCount }, (_, at) => `/home/ada/project-${at}`))
  // The system prompts take 7 MB.
  expect(kept).toBeLessThan(2)
})

test('an answer is kept before its request is stored, unless it has ended by then', async () => {
  const { exchanges, begun, written } = makeExchanges([])
  for (const message of messagesOf('whole', 's-1')) exchanges.receive(message)
  for (const message of messagesOf('silent', 's-2').slice(0, 3)) exchanges.receive(message)
  await written()
  expect(begun).toEqual(['silent'])
})
