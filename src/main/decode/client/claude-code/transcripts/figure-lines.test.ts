import { expect, test } from 'vitest'
import { figuresOf } from './figure-lines.ts'

const read = (line: object) => figuresOf(Buffer.from(JSON.stringify(line)))
const base = { parentUuid: null, isSidechain: false, sessionId: 's', version: '2.1.40' }

/** As the client writes it: the line's type comes after the message. */
const answer = (content: readonly object[]) => ({
  ...base,
  message: { model: 'm', id: 'msg_1', role: 'assistant', content, stop_reason: null, usage: { output_tokens: 7 } },
  requestId: 'req_1',
  type: 'assistant',
  uuid: 'u',
})
const result = (toolUseResult: unknown, ...more: readonly object[]) => ({
  ...base,
  type: 'user',
  message: { role: 'user', content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content: 'done' }, ...more] },
  toolUseResult,
})

test('reports of progress hold no figures, unless an agent says something in them', () => {
  const progress = (data: object) => read({ ...base, type: 'progress', data, uuid: 'u' })
  expect(progress({ type: 'hook_progress', hookEvent: 'Stop' })).toBeNull()
  expect(progress({ type: 'bash_progress', output: '"type":"user"' })).toBeNull()
  expect(progress({ type: 'agent_progress', agentId: 'a', message: answer([]) })).toContain('"output_tokens":7')
  const message = answer([{ type: 'text', text: 'x'.repeat(2000) }])
  expect(progress({ message, type: 'agent_progress', agentId: 'a' })).toContain('xxx')
  const ofAgent = (nested: object) => progress({ message: nested, type: 'agent_progress', agentId: 'a' })
  expect(ofAgent({ type: 'user', message: { role: 'user', content: 'look around' } })).toContain('look around')
  expect(ofAgent(result(null))).toBeNull()
  expect(ofAgent(result(null, { type: 'text', text: 'and now?' }))).toContain('and now?')
  const looksAlike = { type: 'tool_use', input: { type: 'progress', data: { type: 'x' } } }
  expect(read(answer([looksAlike]))).toContain('"output_tokens":7')
})

test('results hold no figures, not even those of files that were read, unless a prompt follows them', () => {
  expect(read(result({ type: 'text', file: { content: 'x'.repeat(5000) } }))).toBeNull()
  expect(read(result({ type: 'text' }, { type: 'text', text: 'and now?' }))).toContain('and now?')
  expect(read(result({ note: { type: 'text' } }))).not.toBeNull()
})

test('what the model wrote is left out of long lines, wherever they name their type', () => {
  const long = 'x'.repeat(2000)
  const line = answer([{ type: 'text', text: long }])
  const { type, ...rest } = line
  for (const one of [line, { type, ...rest }]) {
    const text = read(one) ?? ''
    expect(text).not.toContain(long)
    expect(JSON.parse(text)).toEqual({ ...line, message: { ...line.message, content: [] } })
  }
})

test('a call that starts an agent stays whole: the agent is known by its prompt', () => {
  const line = answer([{ type: 'tool_use', id: 'toolu_1', name: 'Task', input: { prompt: 'x'.repeat(2000) } }])
  expect(JSON.parse(read(line) ?? '')).toEqual(line)
})

test('the input of a call that looks like the end of an answer is not taken for it', () => {
  const input = { text: 'x'.repeat(2000), list: [], stop_reason: null, note: 1 }
  const line = answer([{ type: 'tool_use', id: 'toolu_1', name: 'Save', input }])
  expect(JSON.parse(read(line) ?? '')).toEqual({ ...line, message: { ...line.message, content: [] } })
  const { content, stop_reason, ...rest } = line.message
  const otherwise = { ...line, message: { stop_reason, ...rest, content } }
  expect(JSON.parse(read(otherwise) ?? '')).toEqual(otherwise)
})
