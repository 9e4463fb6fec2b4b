import { describe, expect, test } from 'vitest'
import { countFiles } from '../support/transcripts/independent-reader.ts'
import type { Fields } from '../support/transcripts/json-fields.ts'
import { queuedMessages } from '../support/transcripts/queued-messages.ts'
import { readUserLine } from '../support/transcripts/user-line.ts'

const user = (content: unknown, more: Fields = {}): Fields => ({
  type: 'user',
  sessionId: 's',
  message: { role: 'user', content },
  ...more,
})

describe('what a user line holds', () => {
  test('plain text, and tags inside a text, are a prompt word for word', () => {
    expect(readUserLine(user('fix it'))).toEqual({ kind: 'prompt', text: 'fix it', nextToResult: false })
    const tagged = 'why <system-reminder>x</system-reminder>?'
    expect(readUserLine(user(tagged))).toEqual({ kind: 'prompt', text: tagged, nextToResult: false })
  })

  test('a line of tool results only holds nothing, text beside a result is a prompt', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' }
    expect(readUserLine(user([result]))).toBeNull()
    expect(readUserLine(user([result, { type: 'text', text: 'and log it' }]))).toEqual({
      kind: 'prompt',
      text: 'and log it',
      nextToResult: true,
    })
  })

  test('flags decide before the text does', () => {
    expect(readUserLine(user('fix it', { isMeta: true }))).toEqual({ kind: 'client' })
    expect(readUserLine(user('fix it', { isCompactSummary: true }))).toEqual({ kind: 'client' })
    expect(readUserLine(user('fix it', { origin: { kind: 'auto-continuation' } }))).toEqual({ kind: 'client' })
    const typed = '<task-notification> is what?'
    expect(readUserLine(user(typed, { origin: { kind: 'human' } }))).toMatchObject({ kind: 'prompt', text: typed })
    expect(readUserLine(user(typed))).toEqual({ kind: 'client' })
  })

  test('commands, bash input, interruptions and plans are distinguished from prompts', () => {
    const command = '<command-message>review</command-message>\n<command-name>/review</command-name>\n'
    expect(readUserLine(user(`${command}<command-args>the till</command-args>`))).toEqual({
      kind: 'command',
      name: '/review',
      arguments: 'the till',
    })
    expect(readUserLine(user('<bash-input>pwd</bash-input>'))).toEqual({ kind: 'bash', command: 'pwd' })
    expect(readUserLine(user('[Request interrupted by user for tool use]'))).toEqual({ kind: 'interruption' })
    const plan = 'Implement the following plan:\n\n# Paint'
    expect(readUserLine(user(plan, { planContent: '# Paint' }))).toEqual({ kind: 'plan', text: plan })
    expect(readUserLine(user(plan))).toMatchObject({ kind: 'prompt' })
  })

  test('an image without a word is a prompt, a reminder beside it is not part of it', () => {
    const image = { type: 'image', source: {} }
    const reminder = { type: 'text', text: '<system-reminder>mind</system-reminder>' }
    expect(readUserLine(user([image]))).toMatchObject({ kind: 'prompt', text: '' })
    expect(readUserLine(user([image, reminder]))).toMatchObject({ kind: 'prompt', text: '' })
    expect(readUserLine(user([reminder, { type: 'text', text: 'go' }]))).toMatchObject({ text: 'go' })
    expect(readUserLine(user([reminder]))).toEqual({ kind: 'client' })
  })
})

describe('messages typed while the model works', () => {
  const queue = (operation: string, content?: string): Fields => ({ type: 'queue-operation', operation, content })

  test('only those removed from the queue count, first in, first out', () => {
    const lines = [queue('enqueue', 'one'), queue('enqueue', 'two'), queue('remove'), queue('dequeue')]
    expect(queuedMessages(lines)).toEqual(['one'])
  })

  test('a message taken back or never sent does not count', () => {
    expect(queuedMessages([queue('enqueue', 'one'), queue('popAll', 'one'), queue('enqueue', 'two')])).toEqual([])
  })

  test('a message that the line names and an attachment repeats counts once', () => {
    const attachment = { type: 'queued_command', prompt: 'two', commandMode: 'prompt' }
    const lines = [queue('enqueue', 'one'), queue('enqueue', 'two'), queue('remove', 'two')]
    expect(queuedMessages([...lines, { type: 'attachment', attachment }])).toEqual(['two'])
    expect(queuedMessages([{ type: 'attachment', attachment }])).toEqual(['two'])
  })

  test('notices and commands in the queue are nobody’s message', () => {
    const notice = '<task-notification>done</task-notification>'
    const lines = [queue('enqueue', notice), queue('remove'), queue('enqueue', '/exit'), queue('remove')]
    expect(queuedMessages(lines)).toEqual([])
  })
})

describe('what is counted once', () => {
  const answer = (uuid: string, output: number, block: Fields): Fields => ({
    type: 'assistant',
    sessionId: 's',
    uuid,
    requestId: 'r',
    message: { id: 'm', content: [block], usage: { input_tokens: 3, output_tokens: output } },
  })

  test('a message over several lines has one usage, the largest', () => {
    const lines = [
      answer('1', 2, { type: 'text', text: 'Hello' }),
      answer('2', 90, { type: 'tool_use', id: 't' }),
      answer('3', 2, { type: 'tool_use', id: 't' }),
    ]
    const [count] = countFiles([{ path: 's.jsonl', lines }])
    expect([...(count?.own.usage.values() ?? [])]).toEqual([{ input: 3, output: 90, cacheRead: 0, cacheWrite: 0 }])
    expect([...(count?.own.toolCalls ?? [])]).toEqual(['t'])
  })

  test('a message repeated under a new uuid without its request id counts once', () => {
    const once = answer('1', 9, { type: 'text', text: 'Hello' })
    const lines = [once, { ...once, uuid: '2', requestId: undefined }]
    const [count] = countFiles([{ path: 's.jsonl', lines }])
    expect([count?.own.texts.size, count?.own.usage.size]).toEqual([1, 1])
  })

  test('two messages that leave the queue at the same moment both count', () => {
    const queue = (operation: string, at: number, content?: string): Fields => ({
      type: 'queue-operation',
      operation,
      timestamp: `2026-01-29T00:10:0${at}.000Z`,
      sessionId: 's',
      ...(content === undefined ? {} : { content }),
    })
    const asked = [queue('enqueue', 1, 'first'), queue('enqueue', 2, 'second')]
    const lines = [user('/work', { uuid: 'u' }), ...asked, queue('remove', 3), queue('remove', 3)]
    const copied = { path: 'copy/s.jsonl', lines: lines.map((line) => ({ ...line })) }
    const counts = countFiles([{ path: 's.jsonl', lines }, copied])
    expect(counts.map(({ prompts }) => prompts)).toEqual([['/work', 'first', 'second']])
  })

  test('a queued message that reached the model before any other prompt names the session', () => {
    const wrapped = user('<command-message>x</command-message>\n<command-name>/review</command-name>', { uuid: 'u1' })
    const queue = (operation: string, content?: string): Fields => ({ type: 'queue-operation', operation, content })
    const later = user('and then?', { uuid: 'u2' })
    const named = (...lines: Fields[]) => countFiles([{ path: 's.jsonl', lines }])[0]?.title
    expect(named(wrapped, queue('enqueue', 'let us talk'), queue('remove'), later)).toBe('let us talk')
    expect(named(wrapped, queue('enqueue', 'let us talk'), later, queue('remove'))).toBe('and then?')
    expect(named(wrapped)).toBe('/review')
  })

  test('a summary at the top of another file names the session of its leaf', () => {
    const summary: Fields = { type: 'summary', summary: 'Hello', leafUuid: 'u1' }
    const files = [
      { path: 'a.jsonl', lines: [user('hi', { uuid: 'u1', sessionId: 'a' })] },
      { path: 'b.jsonl', lines: [summary, user('ho', { uuid: 'u2', sessionId: 'b' })] },
    ]
    expect(countFiles(files).map(({ session, title }) => [session, title])).toEqual([
      ['a', 'Hello'],
      ['b', 'ho'],
    ])
  })

  test('a summary names a session only by a leaf of its own, and makes none by itself', () => {
    const summary = (leafUuid: string): Fields => ({ type: 'summary', summary: `of ${leafUuid}`, leafUuid })
    const lines = [summary('1'), summary('elsewhere'), answer('1', 2, { type: 'text', text: 'Hello' })]
    expect(countFiles([{ path: 's.jsonl', lines }]).map((count) => count.title)).toEqual(['of 1'])
    expect(countFiles([{ path: 's.jsonl', lines: [summary('elsewhere')] }])).toEqual([])
  })

  test('agents in progress lines count only while no line of the agent itself is there', () => {
    const message = answer('1', 2, { type: 'tool_use', id: 't' })
    const progress: Fields = {
      type: 'progress',
      sessionId: 's',
      data: { type: 'agent_progress', agentId: 'a', message },
    }
    const prompt = user('go', { uuid: 'u' })
    const alone = countFiles([{ path: 's.jsonl', lines: [prompt, progress] }])
    expect(alone[0]?.agents.get('a')?.toolCalls).toEqual(new Set(['t']))
    const own = { ...answer('1', 7, { type: 'tool_use', id: 't' }), isSidechain: true, agentId: 'a' }
    const both = countFiles([
      { path: 's.jsonl', lines: [prompt, progress] },
      { path: 's/subagents/agent-a.jsonl', lines: [own] },
    ])
    expect([...(both[0]?.agents.get('a')?.usage.values() ?? [])].map((usage) => usage.output)).toEqual([7])
  })
})
