import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { importedSessions, type ImportedSession } from '../../support/transcripts/imported-sessions.ts'

/** Situations of public reports (docs/field-reports.md): each is a folder, and all are imported at once. */

type Files = Readonly<Record<string, string>>
type Wanted = Readonly<Record<string, ImportedSession>>

const [A, B] = ['10000000-0000-4000-8000-0000000000a1', '10000000-0000-4000-8000-0000000000b1'] as const
const id = (kind: 'msg_01' | 'toolu_01', name: string) => kind + name.padEnd(22, 'a')
const text = (words: string) => ({ type: 'text', text: words })
const call = (name: string) => ({ type: 'tool_use', id: id('toolu_01', name), name: 'Bash', input: { command: name } })
const result = (name: string): TranscriptLine => ({
  type: 'user',
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id('toolu_01', name), content: 'ok' }],
  },
})
/** A line of an answer: 10 tokens and its output. */
const answer = (messageId: string, block: object, output: number, requestId = `req_${messageId}`): TranscriptLine => ({
  type: 'assistant',
  ...(requestId === '' ? {} : { requestId }),
  message: {
    id: messageId,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [block],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: output },
  },
})
const ofAgent = (agentId: string, lines: readonly TranscriptLine[]) =>
  transcriptLines(
    A,
    lines.map((line) => ({ ...line, isSidechain: true, agentId })),
  ).join('')

const main = transcriptLines(A, [
  said('go'),
  answer(id('msg_01', 'm1'), call('x'), 5),
  result('x'),
  answer(id('msg_01', 'm2'), text('done'), 6),
]).join('')
const agent = ofAgent('ag1', [said('task'), answer(id('msg_01', 's1'), text('sub'), 7)])
const first = transcriptLines(B, [said('p1'), answer(id('msg_01', 'b1'), text('a1'), 5)])
const parent = (JSON.parse(first.at(-1) ?? '') as { readonly uuid: string }).uuid
const branch = (name: string, hour: number) =>
  first.join('') +
  transcriptLines(B, [said(name), answer(id('msg_01', name), text(name), 5)], {
    parent,
    at: Date.UTC(2026, 10, 20, hour),
  }).join('')
/** The client runs a call while the answer goes on, and writes its result between two lines of it. */
const interleaved = (messageId: string, requestId?: string) => ({
  [`projects/p/${A}.jsonl`]: transcriptLines(A, [
    said('both'),
    answer(messageId, call('x'), 0, requestId),
    result('x'),
    answer(messageId, call('y'), 9, requestId),
    result('y'),
    answer(`${messageId}z`, text('done'), 6, requestId === '' ? '' : `${requestId}z`),
  ]).join(''),
})

let clock = Date.UTC(2026, 8, 1, 10)
const line = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: new Date((clock += 1500)).toISOString(), type, payload })}\n`
const event = (type: string, more: object = {}) => line('event_msg', { type, ...more })
const meta = (thread: string, more: object = {}) =>
  line('session_meta', { id: thread, cwd: '/w', originator: 'codex_cli_rs', cli_version: '0.144.0', ...more })
const turn = (asked: string) =>
  line('turn_context', { cwd: '/w', model: 'gpt-5.6-sol' }) +
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: asked }] }) +
  event('user_message', { message: asked }) +
  line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `to ${asked}` }] })
const usage = ([input, cached, output]: Count, more: object = {}) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  ...more,
})
type Count = readonly [input: number, cached: number, output: number]
const count = (total: Count | null, last?: Count) =>
  event('token_count', {
    info:
      total === null ? null : { total_token_usage: usage(total), ...(last ? { last_token_usage: usage(last) } : {}) },
  })
const thread = (n: number) => `019a0000-0000-7000-8000-00000000000${n}`
const rollout = (n: number) => `sessions/2026/09/01/rollout-2026-09-01T10-00-00-${thread(n)}.jsonl`
const history =
  turn('first') + count([100, 20, 10], [100, 20, 10]) + turn('second') + count([300, 120, 25], [200, 100, 15])
const restamped = () =>
  history.replaceAll(/"timestamp":"[^"]+"/g, () => `"timestamp":"${new Date((clock += 700)).toISOString()}"`)
const own = (asked: string) => turn(asked) + count([700, 300, 45], [400, 180, 20])
const copies = { prompts: ['first', 'second'], tokens: 325 }

const CASES: readonly (readonly [string, Files, Wanted])[] = [
  [
    'claude-code#30606: a file with another name than its session, with the beginning of it',
    { [`projects/p/${B}.jsonl`]: branch('p2', 11), [`projects/p/${A}.jsonl`]: branch('p3', 12) },
    { [B]: { prompts: ['p1', 'p2', 'p3'], tokens: 45 } },
  ],
  [
    'CodexBar#646: an agent in its session’s file and in its own',
    { [`projects/p/${A}.jsonl`]: main + agent, [`projects/p/${A}/subagents/agent-ag1.jsonl`]: agent },
    { [A]: { prompts: ['go'], tokens: 15 + 16 + 17 } },
  ],
  [
    'ai-engineering-fluency#1632: a message repeated in an agent’s file under another request',
    {
      [`projects/p/${A}.jsonl`]: main,
      [`projects/p/${A}/subagents/agent-ag1.jsonl`]: ofAgent('ag1', [
        said('task'),
        answer(id('msg_01', 'm1'), call('x'), 5, 'req_other'),
        answer(id('msg_01', 's2'), text('sub'), 7),
      ]),
    },
    { [A]: { prompts: ['go'], tokens: 15 + 16 + 17 } },
  ],
  [
    'token-monitor#63: agents of agents, in folders of folders',
    {
      [`projects/p/${A}.jsonl`]: main,
      [`projects/p/${A}/subagents/agent-ag1.jsonl`]: agent,
      [`projects/p/${A}/subagents/ag1/subagents/agent-ag2.jsonl`]: ofAgent('ag2', [
        said('more'),
        answer(id('msg_01', 'n1'), text('deep'), 8),
      ]),
    },
    { [A]: { prompts: ['go'], tokens: 15 + 16 + 17 + 18 } },
  ],
  [
    'results between the lines of an answer',
    interleaved(id('msg_01', 'i1')),
    { [A]: { prompts: ['both'], tokens: 35 } },
  ],
  ['the same of a relay', interleaved('chatcmpl-77', 'abc'), { [A]: { prompts: ['both'], tokens: 35 } }],
  ['the same without a request’s id', interleaved('gen-1764-Ab', ''), { [A]: { prompts: ['both'], tokens: 35 } }],
  [
    'tend#1180: only totals, which restart; a count without figures',
    {
      [rollout(1)]:
        meta(thread(1)) + turn('q') + count(null) + count([100, 0, 10]) + count([250, 0, 20]) + count([40, 0, 5]),
    },
    { [`codex-${thread(1)}`]: { prompts: ['q'], tokens: 110 + 160 + 45 } },
  ],
  [
    'a count that is written twice, and two equal calls',
    {
      [rollout(1)]:
        meta(thread(1)) + turn('q') + count([100, 0, 10], [100, 0, 10]).repeat(2) + count([200, 0, 20], [100, 0, 10]),
    },
    { [`codex-${thread(1)}`]: { prompts: ['q'], tokens: 220 } },
  ],
  [
    'ccusage#1460: a fork whose copies keep their times, over many seconds',
    {
      [rollout(1)]: meta(thread(1)) + history,
      [rollout(2)]: meta(thread(2), { forked_from_id: thread(1) }) + meta(thread(1)) + history + own('own'),
    },
    { [`codex-${thread(1)}`]: copies, [`codex-${thread(2)}`]: { prompts: ['own'], tokens: 420 } },
  ],
  [
    'tokscale#679: siblings with copies under new times, without the head of what they copy',
    {
      [rollout(1)]: meta(thread(1)) + history,
      [rollout(2)]: meta(thread(2), { forked_from_id: thread(1) }) + restamped() + own('own'),
      [rollout(3)]: meta(thread(3), { forked_from_id: thread(1) }) + restamped() + own('own too'),
    },
    {
      [`codex-${thread(1)}`]: copies,
      [`codex-${thread(2)}`]: { prompts: ['own'], tokens: 420 },
      [`codex-${thread(3)}`]: { prompts: ['own too'], tokens: 420 },
    },
  ],
  [
    'claudian#814: what a compaction keeps is not asked again; a total from 0 after a resume',
    {
      [rollout(1)]:
        meta(thread(1)) +
        history +
        line('compacted', {
          message: 'sum',
          replacement_history: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'first' }] }],
        }) +
        event('context_compacted') +
        turn('third') +
        count([350, 120, 35], [50, 0, 10]) +
        meta(thread(1)) +
        turn('fourth') +
        count([50, 0, 10], [50, 0, 10]),
    },
    { [`codex-${thread(1)}`]: { prompts: ['first', 'second', 'third', 'fourth'], tokens: 325 + 60 + 60 } },
  ],
]

/** Gives a case sessions, threads, days, answers and calls of its own. */
const named = (given: string, at: number) => {
  const letter = String.fromCharCode(65 + at)
  return given
    .replaceAll(/(?<=[01]000000)0(?=-0000-[47]000-)/g, at.toString(16))
    .replaceAll('2026-09-01T', `2026-09-${String(at + 10)}T`)
    .replaceAll('019a0000-', `019a000${at.toString(16)}-`)
    .replaceAll(/((?:msg|toolu)_01\w{21})\w(?=\w?")/g, `$1${letter}`)
    .replaceAll(/(chatcmpl-|gen-1764-)/g, `$1${letter}`)
}

test('each situation gives its prompts and tokens once, and nothing else becomes a session', async () => {
  const folder = temporaryFolder()
  for (const [at, [, files]] of CASES.entries())
    for (const [path, content] of Object.entries(files)) {
      const whole = join(folder, String(at), named(path, at))
      mkdirSync(dirname(whole), { recursive: true })
      writeFileSync(whole, named(content, at))
    }
  const sessions = importedSessions(await importInto(temporaryFolder(), [folder]))
  const wanted = CASES.flatMap(([what, , all], at) =>
    Object.entries(all).map(([session, told]) => [what, named(session, at), told] as const),
  )
  for (const [what, session, told] of wanted) expect(sessions[session], what).toEqual(told)
  expect(Object.keys(sessions).toSorted()).toEqual(wanted.map(([, session]) => session).toSorted())
}, 60_000)
