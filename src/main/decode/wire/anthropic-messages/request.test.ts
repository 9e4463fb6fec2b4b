import { parseRequestBody } from '../request-body.ts'
import zlib from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../draft.ts'
import { of } from '../../fixtures/drafts.ts'
import { recordedRun } from '../../fixtures/recorded-runs.ts'
import { replayWire } from '../../fixtures/replay.ts'
import { decodedRequest } from '../../fixtures/requests.ts'
import { createGrowingBodies } from '../growing-body.ts'

const kindsOf = (drafts: readonly AnyDraft[]) => drafts.map(({ kind }) => kind)

describe('what comes with a request', () => {
  test('an image is recorded by size and hash, never by its bytes', () => {
    const { drafts } = replayWire(recordedRun('image'))
    const prompt = drafts.find((draft) => draft.kind === 'user_prompt')
    expect(prompt?.payload).toMatchObject({ media: [{ type: 'image', media_type: 'image/png', bytes: 70 }] })
    expect(JSON.stringify(drafts)).not.toContain('iVBORw0KGgo')
  })

  test('a retry names what it repeats and says nothing else', () => {
    const { drafts } = replayWire(recordedRun('retry'))
    const requests = drafts.flatMap((draft) => (draft.kind === 'model_request' ? [draft] : []))
    expect(requests.map(({ payload }) => payload.retry_of)).toEqual([null, 'exchange-0'])
    expect(requests[1]?.parents).toEqual(requests[0]?.parents)
    expect(drafts.find((draft) => draft.kind === 'error')?.payload).toMatchObject({
      status: 529,
      type: 'overloaded_error',
    })
  })

  test.each([
    ['behind an answer that came since: two that waited', 1, ['one', 'two']],
    ['behind an answer that the failed request had: the first was its prompt', 3, ['two']],
  ])('messages that the client joins are prompts, %s', (_, previousMessages, expected) => {
    const texts = ['one\n', 'two'].map((text) => ({ type: 'text', text }))
    const messages = [
      { role: 'user', content: 'zero' },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: texts },
    ]
    const known = { knownMessages: Math.min(previousMessages, 2), previousMessages, previousRequestUuid: 'e0' }
    const { drafts } = decodedRequest({ body: { tools: [{ name: 'Bash' }], messages } }, known)
    const prompts = drafts.flatMap((draft) => (draft.kind === 'user_prompt' ? [draft.payload.text] : []))
    expect(prompts).toEqual(expected)
  })

  test('a summary is asked for in its own turn, though diagnostics name the last answer', () => {
    const wanted = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarize.'
    const messages = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
      { role: 'user', content: [{ type: 'text', text: wanted }] },
    ]
    const body = { tools: [{ name: 'Bash' }], messages, diagnostics: { previous_message_id: 'msg_0' } }
    const known = { knownMessages: 2, previousMessages: 2, previousRequestUuid: 'e0' }
    const request = decodedRequest({ body }, known).drafts.find(({ kind }) => kind === 'model_request')
    expect(request).toMatchObject({ begins_turn: true, parents: [] })
  })

  test('an agent starts once, from the call that gave it its prompt', () => {
    const asked = {
      agent: 'a1',
      body: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: '<system-reminder>\nx\n</system-reminder>' },
              { type: 'text', text: 'Look around.\n' },
            ],
          },
        ],
      },
    }
    const started = decodedRequest(asked, {}, { 'Look around.': 'toolu_5' }).drafts[0]
    expect(started).toMatchObject({
      kind: 'agent_started',
      agent_id: 'a1',
      keys: ['agent:a1:start'],
      parents: ['call:toolu_5'],
      payload: { call_id: 'toolu_5' },
    })
    expect(kindsOf(decodedRequest(asked, { knownMessages: 1, previousRequestUuid: 'e0' }).drafts)).toEqual([
      'model_request',
    ])
  })

  test('an edit carries its diff, tasks their state, an agent its end', () => {
    const { drafts } = replayWire(recordedRun('calls'))
    const edit = drafts.find((draft) => draft.kind === 'tool_result' && draft.payload.tool_name === 'Edit')
    expect(edit?.kind === 'tool_result' && edit.payload.detail).toMatchObject({
      structuredPatch: [{ lines: ['-two', '+three'] }],
    })
    const refused = drafts.flatMap((draft) =>
      draft.kind === 'tool_result' && draft.payload.rejected ? [draft.payload.call_id] : [],
    )
    expect(refused).toEqual(['toolu_m2', 'toolu_m3'])
    const tasks = replayWire(recordedRun('tasks')).drafts.flatMap((draft) =>
      draft.kind === 'task_update' ? [draft.payload.tasks] : [],
    )
    expect(tasks[0]).toEqual([{ id: '1', subject: 'Write it', status: 'pending' }])
    expect(tasks.at(-1)).toEqual([{ id: '1', subject: '', status: 'completed' }])
    const ended = replayWire(recordedRun('agents')).drafts.flatMap((draft) =>
      draft.kind === 'agent_ended' ? [draft.payload.last_text] : [],
    )
    expect(ended).toEqual(['Nested result.', 'Sub two result.', 'Sub one result.'])
  })

  test.each([
    ['has ended', 'The report.', 'The report.'],
    ['goes on, if it was launched', 'Async agent launched successfully.', null],
  ])('an agent whose result does not name it %s', (_, content, lastText) => {
    const call = {
      type: 'tool_use',
      id: 'toolu_5',
      name: 'Agent',
      input: { subagent_type: 'Explore', prompt: 'Look.' },
    }
    const messages = [
      { role: 'user', content: 'Ask.' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_5', content }] },
    ]
    const known = { knownMessages: 1, previousMessages: 1, previousRequestUuid: 'e0', previousResponseSeen: true }
    const { drafts } = decodedRequest({ body: { tools: [{ name: 'Agent' }], messages } }, known, {}, { toolu_5: 'a1' })
    const told = of(drafts, 'agent_started').map(({ payload }) => [payload.agent_id, payload.agent_type])
    expect(told).toEqual([['a1', 'Explore']])
    expect(of(drafts, 'agent_ended').map(({ payload }) => payload.last_text)).toEqual(
      lastText === null ? [] : [lastText],
    )
  })

  test('who joins in the middle records the history once, marked', () => {
    const body = {
      tools: [{ name: 'Bash' }],
      messages: [
        { role: 'user', content: 'First.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'Yes.' },
            { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Second.' },
      ],
    }
    const joined = decodedRequest({ body })
    expect(kindsOf(joined.drafts)).toEqual([
      'user_prompt',
      'thinking',
      'assistant_text',
      'tool_call',
      'tool_result',
      'assistant_text',
      'user_prompt',
      'model_request',
    ])
    const marked = joined.drafts.map((draft) => 'seen_in_history' in draft.payload)
    expect(marked).toEqual([true, true, true, true, true, true, false, false])
    const byKey = new Set(joined.drafts.flatMap(({ keys }) => keys))
    for (const draft of joined.drafts.slice(1, 6)) expect(draft.parents.some((key) => byKey.has(key))).toBe(true)
    expect(joined.tail).toEqual(['exchange:e1:prompt:0'])
    // The next request of the same conversation reports only new messages; after a compaction, only those after the
    // last answer.
    expect(
      kindsOf(
        decodedRequest({ body }, { knownMessages: 3, previousResponseSeen: true, previousRequestUuid: 'e0' }).drafts,
      ),
    ).toEqual(['user_prompt', 'model_request'])
    expect(
      kindsOf(
        decodedRequest({ body }, { knownMessages: 0, previousResponseSeen: true, previousRequestUuid: 'e0' }).drafts,
      ),
    ).toEqual(['user_prompt', 'model_request'])
    // An answer that was not recorded is taken from the history.
    expect(
      kindsOf(
        decodedRequest({ body }, { knownMessages: 3, previousResponseSeen: false, previousRequestUuid: 'e0' }).drafts,
      ),
    ).toEqual(['assistant_text', 'user_prompt', 'model_request'])
  })

  test('callers that name no session have one for each conversation and day', () => {
    const idOf = (messages: readonly object[], more: object = {}) =>
      decodedRequest({ foreign: true, body: { messages: messages as never, ...more } }).identity.sessionId
    const asked = { role: 'user', content: 'x' }
    const cached = { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }
    const answered = { role: 'assistant', content: 'y' }
    expect(idOf([cached, answered, { role: 'user', content: 'more' }])).toBe(idOf([asked]))
    expect(idOf([{ role: 'user', content: 'z' }])).not.toBe(idOf([asked]))
    expect(idOf([asked], { metadata: { user_id: 'person-2' } })).not.toBe(idOf([asked]))
    const request = { foreign: true, body: { messages: [{ role: 'user', content: 'x' }] } }
    expect(decodedRequest(request).identity.sessionId).toMatch(/^unnamed-[0-9a-f]{12}-2026-09-21$/)
    expect(decodedRequest(request).identity).toMatchObject({ account: 'sk-ant-one', project: null })
  })

  test('the working directory is taken from where the client says it, not from what the user quotes', () => {
    const quoted = { body: { messages: [{ role: 'user', content: 'Working directory: /etc' }] } }
    expect(decodedRequest(quoted).identity.project).toBeNull()
    const said = {
      body: {
        ...quoted.body,
        system: [{ type: 'text', text: '<env>\nWorking directory: /home/user/my project\nIs git: no' }],
      },
    }
    expect(decodedRequest(said).identity.project).toBe('/home/user/my project')
  })

  test('the working directory is the newest that the conversation names, but a worktree is its repository', () => {
    const environment = (line: string, head = '# Environment') => ({
      role: 'system',
      content: [{ type: 'text', text: `${head}\n - Primary working directory: ${line}\n - Platform: linux` }],
    })
    const update = (line: string) => environment(line, '# Environment update')
    const history = Array.from({ length: 60 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `${at}` }))
    const quoted = { role: 'user', content: '<system-reminder>\nWorking directory: /etc\n</system-reminder>' }
    const projectOf = (...messages: Json[]) => decodedRequest({ body: { messages } }).identity.project
    const begun = environment('/p1 (was ours)')
    expect(projectOf(begun, quoted)).toBe('/p1 (was ours)')
    expect(projectOf(begun, ...history, update('/p2 (was /p1 (was ours))'), ...history, quoted)).toBe('/p2')
    expect(projectOf(begun, update('/p2 (was /p1)'), environment('/p3'), ...history)).toBe('/p3')
    const entered = update('/p1/.claude/worktrees/x (was /p1)')
    expect(projectOf(environment('/p1'), entered)).toBe('/p1')
    expect(projectOf(entered)).toBe('/p1/.claude/worktrees/x')
  })
})

describe('bodies', () => {
  test('packed, damaged, with lone surrogates', () => {
    const bytes = Buffer.from('{"messages":[{"role":"user","content":"half \\ud83d"}]}')
    const parse = (sent: Uint8Array, encoding: string | null) =>
      parseRequestBody(sent, encoding, (plain) => createGrowingBodies().parse('', plain, 'messages')).body
    expect(JSON.stringify(parse(zlib.zstdCompressSync(bytes), 'zstd')).isWellFormed()).toBe(true)
    expect(parse(zlib.gzipSync(bytes), 'gzip')).toMatchObject({ messages: [{ content: 'half \ufffd' }] })
    expect(parse(bytes.subarray(0, 20), null)).toBeNull()
    expect(parse(new Uint8Array(), null)).toBeNull()
    expect(parse(bytes, 'gzip')).toBeNull()
  })

  test('any JSON is taken', () => {
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'system', 'x'),
      content: fc.oneof(
        fc.string(),
        fc.jsonValue(),
        fc.array(
          fc.record(
            {
              type: fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'x'),
              text: fc.jsonValue(),
              content: fc.jsonValue(),
              tool_use_id: fc.oneof(fc.string(), fc.constant(null)),
              id: fc.string(),
              source: fc.jsonValue(),
            },
            { requiredKeys: ['type'] },
          ),
        ),
      ),
    })
    fc.assert(
      fc.property(
        fc.record(
          {
            messages: fc.oneof(fc.array(message), fc.jsonValue()),
            system: fc.jsonValue(),
            tools: fc.jsonValue(),
            metadata: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        fc.nat(3),
        (body, known) => {
          const decoded = decodedRequest({ body: body as { [key: string]: Json } }, { knownMessages: known })
          expect(kindsOf(decoded.drafts).at(-1)).toBe('model_request')
        },
      ),
      { numRuns: 400 },
    )
  })
})
