import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { readStore } from '../../support/store/read-store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

type Resume = OperationOutput<'sessions.resume'>

let minute = 0
const at = () => {
  minute += 1
  return new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()
}

let calls = 0
/** A call with its result; `output` of a failed one is its error. */
function call(tool_name: string, input: object, is_error = false, output = 'done'): AnyDraft[] {
  calls += 1
  const call_id = `c${calls}`
  const key = `call:${call_id}`
  return [
    draftOf(
      'tool_call',
      { call_id, tool_name, input: input as never, message_id: `m${calls}`, index: 0 },
      { at: at(), uuid: `call-${calls}`, keys: [key] },
    ),
    draftOf('tool_result', { call_id, tool_name, output, is_error, rejected: false }, { at: at(), parents: [key] }),
  ]
}

const tasks = (...list: [string, string, string][]): AnyDraft =>
  draftOf(
    'task_update',
    { tasks: list.map(([id, subject, status]) => ({ id, subject, status })) },
    { at: at(), parents: [`call:c${calls}`] },
  )
const prompt = (text: string) => draftOf('user_prompt', { text }, { at: at() })
const answer = (text: string) => draftOf('assistant_text', { text, message_id: `a${minute}`, index: 0 }, { at: at() })

function resumed(drafts: readonly AnyDraft[]): Resume {
  using store = readStore(drafts)
  return store.call<Resume>('sessions.resume', { session_id: 's1', budget: 4000 })
}

test('open tasks come from all updates, also if one names only a status', () => {
  const {
    open_tasks,
    tasks: open,
    text,
  } = resumed([
    prompt('Ship it'),
    tasks(['1', 'Write the parser', 'pending']),
    tasks(['2', 'Test the parser', 'pending']),
    tasks(['1', '', 'completed']),
    tasks(['3', 'Document it', 'pending']),
    tasks(['2', '', 'in_progress']),
  ])
  expect(open_tasks).toEqual(['Test the parser (in_progress)', 'Document it (pending)'])
  expect(open.map(({ task_id, status }) => [task_id, status])).toEqual([
    ['2', 'in_progress'],
    ['3', 'pending'],
  ])
  expect(text).toContain('> - Test the parser (in_progress)\n> - Document it (pending)')
})

test('a list that is sent whole removes what it no longer names', () => {
  const { open_tasks } = resumed([
    prompt('Go'),
    ...call('TodoWrite', { todos: [{}, {}] }),
    tasks(['1', 'One', 'completed'], ['2', 'Two', 'pending']),
    ...call('TodoWrite', { todos: [{}] }),
    tasks(['1', 'Only this', 'in_progress']),
  ])
  expect(open_tasks).toEqual(['Only this (in_progress)'])
})

test('an error is open until the same thing succeeds', () => {
  const { errors, commands } = resumed([
    prompt('Fix it'),
    ...call('Bash', { command: 'cd app && npm test -- one.test.ts 2>&1 | tail -5' }, true, 'one failed'),
    ...call('Bash', { command: 'npm run lint' }, true, 'no-console'),
    ...call('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, true, 'not found'),
    ...call('Edit', { file_path: 'a.ts', old_string: 'z', new_string: 'y' }),
    ...call('Bash', { command: 'npm test' }),
    ...call('Read', { file_path: 'gone.ts' }, true, 'no such file'),
  ])
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatch(/^Read: .*no such file/)
  expect(errors[1]).toMatch(/^\$ npm run lint: .*no-console/)
  expect(commands).toEqual([
    '$ npm test: ok',
    '$ npm run lint: failed',
    '$ cd app && npm test -- one.test.ts 2>&1 | tail -5: failed',
  ])
})

test('a 429 that a retry healed is not an open error; one that was the end is', () => {
  const failed = () =>
    draftOf(
      'error',
      { origin: 'upstream', type: 'rate_limit_error', status: 429, message: 'slow down' } as never,
      { at: at(), success: false } as never,
    )
  const usage = () =>
    draftOf(
      'api_usage',
      {
        message_id: `u${minute}`,
        model: 'claude-opus-4-5',
        usage: {
          input_tokens: 1,
          output_tokens: 1,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_creation_1h_input_tokens: 0,
          thinking_tokens: null,
          web_search_requests: 0,
          service_tier: null,
          speed: null,
          inference_geo: null,
        },
        request_kind: 'prompt',
        basis: 'measured',
        ttft_ms: null,
      },
      { at: at() },
    )
  expect(resumed([prompt('Go'), failed(), usage()]).errors).toEqual([])
  expect(resumed([prompt('Go'), usage(), failed()]).errors).toEqual(['rate_limit_error 429 slow down'])
})

test('names the files edited with their lines, and the last question', () => {
  const open = resumed([
    prompt('Rename it'),
    ...call('Edit', { file_path: '/work/app/a.ts', old_string: 'one\ntwo', new_string: 'one\ntwo\nthree\nfour' }),
    ...call('Write', { file_path: '/work/app/b.ts', content: 'x\ny\n' }),
    answer('Done so far.\n\nShall I also rename the tests in `a.test.ts`?'),
  ])
  expect(open.files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ['/work/app/b.ts', 2, 0],
    ['/work/app/a.ts', 2, 0],
  ])
  expect(open.last_question).toMatchObject({ text: 'Shall I also rename the tests in `a.test.ts`?', answered: false })
  expect(open.text).toContain('[open question to the user')

  const answered = resumed([prompt('Go'), answer('Blue or green?'), prompt('Green.')])
  expect(answered.last_question).toMatchObject({ text: 'Blue or green?', answered: true })
})

test('reads plans, patches and commands as Codex sends them', () => {
  const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n+z\n*** Add File: b.ts\n+1\n*** End Patch\n'
  const { open_tasks, files, commands } = resumed([
    prompt('Go'),
    ...call('update_plan', { plan: [{}, {}] }),
    tasks(['1', 'Read it', 'in_progress'], ['2', 'Fix it', 'pending']),
    ...call('apply_patch', { input: patch }),
    ...call('exec_command', { cmd: 'npm test' }, true, 'failed'),
    ...call('update_plan', { plan: [{}] }),
    tasks(['1', 'Fix it at last', 'in_progress']),
  ])
  expect(open_tasks).toEqual(['Fix it at last (in_progress)'])
  expect(files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ['a.ts', 2, 1],
    ['b.ts', 1, 0],
  ])
  expect(commands).toEqual(['$ npm test: failed'])
})

test('a turn says what each agent said last, its error and its time', () => {
  const agent = (kind: 'assistant_text', text: string) =>
    draftOf(kind, { text, message_id: `g${minute}`, index: 0 }, { at: at(), agent_id: 'a1' })
  const start = prompt('Look')
  using store = readStore([
    start,
    draftOf(
      'agent_started',
      { agent_id: 'a1', agent_type: 'Explore', parent_agent_id: null, call_id: null },
      { at: at(), agent_id: 'a1' },
    ),
    agent('assistant_text', 'Looking.'),
    draftOf(
      'tool_result',
      { call_id: 'x', tool_name: 'Grep', output: 'bad pattern', is_error: true, rejected: false },
      { at: at(), agent_id: 'a1', error_message: 'bad pattern' },
    ),
    agent('assistant_text', 'Nothing there.'),
  ])
  const { agents } = store.call<OperationOutput<'sessions.turn'>>('sessions.turn', { session_id: 's1', turn: 1 })
  expect(agents).toMatchObject([
    { agent_id: null, last_text: null, error: null },
    { agent_id: 'a1', agent_type: 'Explore', last_text: 'Nothing there.', error: 'bad pattern', duration_ms: 180_000 },
  ])
})
