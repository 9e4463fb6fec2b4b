import * as fc from 'fast-check'
import type { RecordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { streamedPieces, wholePieces, type Answer, type Step } from '../upstream/messages-answer.ts'

/** An answer of a relay: its text, and the call that follows. */
export interface RelayedAnswer {
  readonly text: string | null
  readonly thinking: string | null
  readonly calls: boolean
  readonly inputTokens: number
  /** Left out: the main thread. */
  readonly agent?: string | undefined
}

/** Sessions behind a relay: which message and request ids it gives, and how it answers. */
export interface RelayedSessions {
  /** Its scheme of ids, for the message of a failed test. */
  readonly note: string
  readonly sessions: readonly (readonly RelayedAnswer[])[]
  /** Returns the message id of the n-th answer of a session; undefined: none, null: null. */
  readonly messageId: (session: number, at: number) => string | null | undefined
  readonly requestId: (session: number, at: number) => string | undefined
  /** Returns the id of the call in the n-th answer of a session. */
  readonly callId: (session: number, at: number) => string
  readonly streams: boolean
  /** The client numbers the blocks. */
  readonly numbersBlocks: boolean
  /** The line of a call says that it ends its answer. */
  readonly saysStops: boolean
  /** Milliseconds between two answers. */
  readonly pauseMs: number
}

const START = Date.UTC(2026, 10, 20, 10)
const MODEL = 'claude-sonnet-4-5'
const SYSTEM = [
  { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;' },
  { type: 'text', text: 'You are Claude Code.\nWorking directory: /home/me/project' },
]
const TOOLS = [{ name: 'Bash', description: 'runs', input_schema: { type: 'object' } }]
const ID = 'the-id-of-the-relay'

/** Returns what passed and the transcripts of the same sessions. */
export function relayedRun(relay: RelayedSessions): RecordedRun {
  const sessions = relay.sessions.map((answers, session) => sessionOf(relay, answers, session))
  return {
    note: relay.note,
    client: 'claude-code',
    exchanges: sessions.flatMap(({ exchanges }) => exchanges).toSorted((one, other) => one.at - other.at),
    hooks: [],
    transcripts: sessions.map(({ path, lines }) => ({ path, lines })),
  }
}

type Exchange = RecordedRun['exchanges'][number]
type Line = RecordedRun['transcripts'][number]['lines'][number]

function sessionOf(relay: RelayedSessions, answers: readonly RelayedAnswer[], session: number) {
  const sessionId = `0000000${session}-0000-4000-8000-000000000001`
  const exchanges: Exchange[] = []
  const lines: Line[] = []
  const messages: object[] = []
  let parent: string | null = null
  const line = (at: number, part: object): void => {
    const uuid = `0000000${session}-0000-4000-9000-${String(lines.length).padStart(12, '0')}`
    lines.push({
      parentUuid: parent,
      isSidechain: false,
      cwd: '/home/me/project',
      sessionId,
      version: '2.1.330',
      uuid,
      timestamp: new Date(at).toISOString(),
      ...part,
    } as unknown as Line)
    parent = uuid
  }
  let called: string | null = null
  answers.forEach((answer, at) => {
    // Sessions take turns, and no two answers end together.
    const wall = START + at * relay.pauseMs + session * 7
    const asked =
      called === null
        ? { role: 'user', content: [{ type: 'text', text: `question ${session}-${at}` }] }
        : { role: 'user', content: [{ type: 'tool_result', tool_use_id: called, content: `output ${session}-${at}` }] }
    messages.push(asked)
    line(wall - 2, {
      type: 'user',
      message: called === null ? { role: 'user', content: `question ${session}-${at}` } : asked,
    })
    called = answer.calls ? relay.callId(session, at) : null
    const steps = stepsOf(answer, called)
    const body = bodyOf(relay, { steps, usage: usageOf(answer), messageId: ID }, relay.messageId(session, at))
    const requestId = relay.requestId(session, at)
    exchanges.push({
      at: wall,
      method: 'POST',
      path: '/v1/messages?beta=true',
      headers: [
        ['x-claude-code-session-id', sessionId],
        ['user-agent', 'claude-cli/2.1.330 (external, cli)'],
        ['content-type', 'application/json'],
      ],
      body: {
        model: MODEL,
        max_tokens: 1024,
        stream: relay.streams,
        system: SYSTEM,
        tools: TOOLS,
        messages: [...messages],
      } as never,
      response: {
        status: 200,
        headers: [
          ['content-type', relay.streams ? 'text/event-stream' : 'application/json'],
          ...(requestId === undefined ? [] : [['request-id', requestId] as const]),
        ],
        body,
      },
    })
    const blocks = steps.map(blockOf)
    messages.push({ role: 'assistant', content: blocks })
    const id = relay.messageId(session, at)
    blocks.forEach((block, index) =>
      line(wall, {
        type: 'assistant',
        ...(requestId === undefined ? {} : { requestId }),
        ...(relay.numbersBlocks ? { apiBlockIndex: index } : {}),
        message: {
          ...(id === undefined ? {} : { id }),
          type: 'message',
          role: 'assistant',
          model: MODEL,
          content: [block],
          stop_reason:
            index < blocks.length - 1 ? null : answer.calls ? (relay.saysStops ? 'tool_use' : null) : 'end_turn',
          usage: { ...usageOf(answer), cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        },
      }),
    )
  })
  return { path: `/p/${sessionId}.jsonl`, exchanges, lines }
}

const usageOf = ({ inputTokens }: RelayedAnswer) => ({
  input_tokens: inputTokens,
  output_tokens: inputTokens === 0 ? 0 : 20,
})

function stepsOf({ text, thinking }: RelayedAnswer, call: string | null): readonly Step[] {
  return [
    ...(thinking === null ? [] : [{ thinking, signature: 'c2ln' }]),
    ...(text === null && call !== null ? [] : [{ text: text ?? 'fine' }]),
    ...(call === null ? [] : [{ tool: 'Bash', id: call, input: { command: 'ls' } }]),
  ]
}

function blockOf(step: Step): object {
  if ('thinking' in step) return { type: 'thinking', thinking: step.thinking, signature: 'c2ln' }
  if ('tool' in step) return { type: 'tool_use', id: step.id, name: step.tool, input: step.input }
  return { type: 'text', text: 'text' in step ? step.text : '' }
}

function bodyOf({ streams }: RelayedSessions, answer: Answer, id: string | null | undefined): string {
  const pieces = streams ? streamedPieces(answer, MODEL) : wholePieces(answer, MODEL)
  const body = pieces
    .map((piece) => {
      if (piece.kind === 'event') return `event: ${piece.type}\ndata: ${JSON.stringify(piece.data)}\n\n`
      return piece.kind === 'raw' ? piece.text : ''
    })
    .join('')
  return body.replace(`"id":"${ID}",`, id === undefined ? '' : `"id":${JSON.stringify(id)},`)
}

const answers = fc.array(
  fc.record({
    text: fc.constantFrom('ok', 'ok, done', 'let me look', null),
    thinking: fc.constantFrom(null, null, 'hm', ''),
    calls: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
)

/** Relays whose ids say nothing: constant, empty, null, missing, counted in each session, or in a circle. */
export const relays: fc.Arbitrary<RelayedSessions> = fc
  .record({
    sessions: fc.array(answers, { minLength: 1, maxLength: 3 }),
    ids: fc.constantFrom('msg_1', 'msg_01XFDUDYJgAACzvnptvVoYEL', '', null, undefined, 'counted', 'circle'),
    requests: fc.constantFrom('unique', 'missing', 'constant'),
    calls: fc.constantFrom('unique', 'of the session', 'of the answer'),
    isFree: fc.boolean(),
    streams: fc.boolean(),
    numbersBlocks: fc.boolean(),
    saysStops: fc.boolean(),
    pauseMs: fc.constantFrom(100, 1500, 60_000),
  })
  .map(({ sessions, ids, requests, calls, isFree, ...rest }) => ({
    ...rest,
    note: `ids ${String(ids)}, requests ${requests}, calls ${calls}`,
    sessions: sessions.map((session) =>
      session.map((answer, at) => ({ ...answer, inputTokens: isFree ? 0 : 100 + 10 * at })),
    ),
    messageId: (_: number, at: number) => (ids === 'counted' ? `msg_${at}` : ids === 'circle' ? `msg_${at % 3}` : ids),
    callId: (session: number, at: number) =>
      calls === 'unique'
        ? `toolu_${session}_${at}_0123456789abcdef`
        : `functions.Bash:${calls === 'of the answer' ? 0 : at}`,
    requestId: (session: number, at: number) =>
      requests === 'missing' ? undefined : requests === 'constant' ? 'req_1' : `req_01${session}${at}0123456789abcdef`,
  }))
