import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../shared/event.ts'
import { of } from '../../../fixtures/drafts.ts'
import { assistant, common, decode, user } from '../../../fixtures/transcript-lines.ts'
import { isClientSentence, isContinuationSentence } from '../client-sentences.ts'

const AT = Date.UTC(2026, 0, 2)

test('a file without any time takes the file’s own, and says so', () => {
  const undated = { type: 'user', sessionId: 's1', uuid: 'u1', message: { role: 'user', content: 'When?' } }
  const [prompt] = of(decode([undated], { fileTime: () => AT }), 'user_prompt')
  expect(prompt).toMatchObject({ ts_wall: '2026-01-02T00:00:00.000Z', sighting: { time_basis: 'file' } })
})

test('a file of nothing but summaries says nothing', () => {
  expect(decode([{ type: 'summary', summary: 'Of another', leafUuid: 'x' }], { fileTime: () => AT })).toEqual([])
})

test('a message that is a plain text is one, of whom the line says', () => {
  const answer = { ...assistant('a1', 'u1', 'm1', []), message: 'Then.' }
  const drafts = decode([{ ...user('u1', null, ''), message: 'When?' }, answer, { ...common, type: 'x', message: 'x' }])
  expect(of(drafts, 'user_prompt').map(({ payload }) => payload.text)).toEqual(['When?'])
  expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['Then.'])
})

const said = [{ type: 'text', text: 'Done.' }]
const CALL = { type: 'tool_use', id: 't1', name: 'Bash', input: {} }
test.each([
  ['sdk-cli', {}, true],
  ['sdk-cli', { isApiErrorMessage: true }, true],
  ['sdk-ts', {}, undefined],
  ['cli', {}, undefined],
  [undefined, {}, undefined],
])('a turn of the entry point %s, %j, ends its session: %s', (entrypoint, more, ends) => {
  const lines = [user('u1', null, 'Go.'), assistant('a1', 'u1', 'm1', said, { entrypoint, ...more })]
  const written = lines.map((line) => JSON.stringify(line).replace('"role":"assistant"', '$&,"stop_reason":"end_turn"'))
  expect(of(decode(written), 'turn_ended').map(({ payload }) => payload.ends_session)).toEqual([ends])
})

test('an agent of progress lines is left to its own file if there is one', () => {
  const progress = {
    ...common,
    type: 'progress',
    uuid: 'p1',
    parentToolUseID: 't1',
    data: {
      type: 'agent_progress',
      agentId: 'a1',
      message: { type: 'assistant', message: { id: 'm2', model: 'm', content: [{ type: 'text', text: 'Three.' }] } },
    },
  }
  const lines = [
    user('u1', null, 'Count.'),
    assistant('a1', 'u1', 'm1', [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'Count.' } }]),
    progress,
    progress,
  ]
  const drafts = decode(lines)
  expect(of(drafts, 'agent_started').map(({ payload }) => payload.call_id)).toEqual(['t1'])
  expect(of(drafts, 'assistant_text').map(({ agent_id, payload }) => [agent_id, payload.text])).toEqual([
    ['a1', 'Three.'],
  ])
  expect(of(decode(lines, { hasAgentFile: () => true }), 'assistant_text')).toEqual([])
})

test('an interruption is an event, and no prompt', () => {
  const drafts = decode([user('u1', null, 'Go.'), user('u2', 'u1', '[Request interrupted by user for tool use]')])
  expect(of(drafts, 'user_prompt')).toHaveLength(1)
  expect(of(drafts, 'state_change').map(({ payload }) => payload)).toEqual([{ name: 'interrupted', to: 'tool use' }])
})

test('a sentence of the client is known as a whole, not by its beginning alone', () => {
  expect(isClientSentence('Continue from where you left off.')).toBe(true)
  expect(isClientSentence('Continue where we left off')).toBe(false)
  expect(isClientSentence('Continue from where you left off. And add a test.')).toBe(false)
  expect(
    isContinuationSentence('Output token limit hit. Resume directly — no apology, no recap of what you were doing.'),
  ).toBe(true)
})

test('a sentence of the client is known inside a reminder', () => {
  expect(
    isContinuationSentence('<system-reminder>\nYour response above was cut off mid-stream.\n</system-reminder>'),
  ).toBe(true)
  expect(isClientSentence('<system-reminder>\nContinue from where you left off.\n</system-reminder>')).toBe(true)
  const between = '<system-reminder>Tool loaded.</system-reminder>\nPaint it.\n<system-reminder>x</system-reminder>'
  expect(isClientSentence(between.replace('Tool loaded.', 'Goal check-in: «'))).toBe(false)
  expect(isClientSentence(`${'<b>'.repeat(50_000)}${'</b>'.repeat(50_000)}`)).toBe(false)
})

test('an answer ends no turn if the client’s own note follows, whatever it says, or a Stop hook’s', () => {
  const note = { ...user('u2', 'a1', 'It did not arrive. Give it again.'), isMeta: true, ownNote: true }
  const ended = (lines: readonly JsonObject[]) =>
    of(decode(lines), 'turn_ended').map(({ payload }) => payload.last_text)
  const end = { stop_reason: 'end_turn' }
  const begun = [user('u1', null, 'Go.'), assistant('a1', 'u1', 'm1', [{ type: 'text', text: 'I be' }], {}, end)]
  const done = assistant('a2', 'u2', 'm2', [{ type: 'text', text: 'I begin.' }], {}, end)
  expect(ended([...begun, note, done])).toEqual(['I begin.'])
  const refused = user('u2', 'a1', 'Stop hook feedback:\n- [check.sh]: begin again')
  expect(ended([...begun, { ...refused, isMeta: true }, done])).toEqual(['I begin.'])
})

test('a resume is shown by the lines of its hooks, under one name a run', () => {
  const ran = (uuid: string, start: string, run: string) => {
    const data = { type: 'hook_progress', hookEvent: 'SessionStart', hookName: `SessionStart:${start}`, command: 'x' }
    return { ...common, type: 'progress', uuid, data, toolUseID: run, parentToolUseID: run }
  }
  const hook = { type: 'hook_success', hookName: 'SessionStart:resume', hookEvent: 'SessionStart', toolUseID: 'r3' }
  const lines = [ran('p1', 'startup', 'r1'), ran('p2', 'resume', 'r2'), ran('p3', 'resume', 'r2')]
  const drafts = of(
    decode([...lines, { ...common, type: 'attachment', uuid: 'p4', attachment: hook }]),
    'session_started',
  )
  expect(drafts.map(({ payload }) => payload.start)).toEqual(['resume', 'resume', 'resume'])
  expect(drafts.map(({ keys }) => keys)).toEqual([['resume:s1:r2'], ['resume:s1:r2'], ['resume:s1:r3']])
})

const system = (subtype: string, more: object = {}) => ({ ...common, type: 'system', subtype, uuid: subtype, ...more })
test.each([
  ['the next prompt', [user('u2', 'a1', 'Go on.')], ['Done.']],
  ['its Stop hooks', [system('stop_hook_summary', { hookErrors: [] })], ['Done.']],
  ['its duration', [system('turn_duration', { durationMs: 5 })], ['Done.']],
  ['nothing yet', [], []],
  ['another message', [assistant('a2', 'a1', 'm2', said)], []],
  ['a Stop hook that refused', [system('stop_hook_summary', { hookErrors: ['Run the tests.'] })], []],
  ['a result, and the next prompt', [user('u2', 'a1', [], { isMeta: true }), user('u3', 'u2', 'Go on.')], ['Done.']],
  [
    'an interruption, and the next prompt',
    [user('u2', 'a1', '[Request interrupted by user]'), user('u3', 'u2', 'Go on.')],
    [],
  ],
  ['a call of the same message', [assistant('a2', 'a1', 'm1', [CALL]), user('u2', 'a2', 'Go on.')], []],
])('without a stop reason, an answer ends its turn by what follows it: %s', (_, after, expected) => {
  const drafts = decode([user('u1', null, 'Go.'), assistant('a1', 'u1', 'm1', said), ...after])
  expect(of(drafts, 'turn_ended').map(({ payload }) => payload.last_text)).toEqual(expected)
})

test.each([
  [undefined, 0.5, [0.5]],
  [{ input_tokens: 5, output_tokens: 2 }, 0.5, [0.5]],
  [undefined, 0, []],
  [undefined, 'much', []],
  [undefined, undefined, []],
])("the client's own cost beside the usage %j, %j, counts once an answer", (usage, costUSD, expected) => {
  const part = (uuid: string, parent: string) =>
    assistant(uuid, parent, 'm1', [{ type: 'text', text: uuid }], { costUSD }, { usage })
  const usages = of(decode([user('u1', null, 'Go.'), part('a1', 'u1'), part('a2', 'a1')]), 'api_usage')
  expect(usages.map(({ payload }) => payload.client_cost_usd)).toEqual(expected)
  expect(usages.every(({ payload }) => payload.model === 'claude-x')).toBe(true)
})
