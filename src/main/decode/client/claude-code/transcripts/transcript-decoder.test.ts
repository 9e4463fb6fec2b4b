import { describe, expect, test } from 'vitest'
import { of } from '../../../fixtures/drafts.ts'
import { recordedRun } from '../../../fixtures/recorded-runs.ts'
import { assistant, common, decode, linesOf, user } from '../../../fixtures/transcript-lines.ts'

describe('a message over several lines', () => {
  test('counts its usage once, the largest figure, after its last block', () => {
    const drafts = decode([
      user('u1', null, 'Go.'),
      assistant(
        'a1',
        'u1',
        'm1',
        [{ type: 'thinking', thinking: 'Hm.' }],
        {},
        { usage: { input_tokens: 5, output_tokens: 1 } },
      ),
      assistant(
        'a2',
        'a1',
        'm1',
        [{ type: 'text', text: 'Yes.' }],
        {},
        { usage: { input_tokens: 5, output_tokens: 90 } },
      ),
      assistant(
        'a3',
        'a2',
        'm1',
        [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
        {},
        { usage: null },
      ),
      user('u2', 'a3', [{ type: 'tool_result', tool_use_id: 't1', content: 'a' }]),
      assistant('a4', 'u2', 'm2', [{ type: 'text', text: 'Done.' }], {}, { stop_reason: 'end_turn' }),
    ])
    expect(
      of(drafts, 'api_usage').map(({ payload, parents, keys }) => [
        payload.usage.output_tokens,
        payload.basis,
        parents[0],
        keys,
      ]),
    ).toEqual([
      [90, 'lower_bound', 'block:m1:2', ['usage:m1']],
      [2, 'lower_bound', 'block:m2:0', ['usage:m2']],
    ])
    expect(of(drafts, 'assistant_text').map(({ payload, parents }) => [payload.index, parents[0]])).toEqual([
      [1, 'block:m1:0'],
      [0, 'result:t1'],
    ])
    expect(of(drafts, 'thinking')[0]?.parents).toEqual(['line:u1'])
    expect(of(drafts, 'turn_ended')).toHaveLength(1)
    expect(of(drafts, 'user_prompt')[0]).toMatchObject({
      uuid: 'u1',
      project: '/home/user/project',
      payload: { git_branch: 'main' },
    })
  })

  test('takes the block index from the line if it has one', () => {
    const drafts = decode([assistant('a1', null, 'm1', [{ type: 'text', text: 'x' }], { apiBlockIndex: 3 })])
    expect(drafts[0]?.keys).toEqual(['block:m1:3', 'line:a1'])
  })

  test('two agents whose lines alternate keep their own figures', () => {
    const side = { isSidechain: true, agentId: 'a9' }
    const drafts = decode([
      assistant('a1', null, 'm1', [{ type: 'text', text: 'one' }]),
      assistant('b1', null, 'n1', [{ type: 'text', text: 'two' }], side),
      assistant('a2', 'a1', 'm1', [{ type: 'text', text: 'three' }]),
      assistant('b2', 'b1', 'n1', [{ type: 'text', text: 'four' }], side),
    ])
    expect(of(drafts, 'api_usage').map(({ agent_id, keys }) => [agent_id, keys[0]])).toEqual([
      [null, 'usage:m1'],
      ['a9', 'usage:n1'],
    ])
    expect(of(drafts, 'agent_started')).toHaveLength(1)
  })
})

describe('what older and odd files hold', () => {
  test('BOM, CRLF, blank lines, lone surrogates, a tool input as a string', () => {
    const call = assistant('a1', null, 'm1', [
      { type: 'tool_use', id: 't1', name: 'Bash', input: '{"command":"ls"}' },
      { type: 'tool_use', id: 't2', name: 'Bash', input: 'not json' },
    ])
    const drafts = decode([
      '\uFEFF' + JSON.stringify(call) + '\r\n',
      '',
      '  ',
      JSON.stringify(user('u1', null, 'X')).replace('"X"', String.raw`"half \ud83d here"`),
    ])
    expect(of(drafts, 'tool_call').map(({ payload }) => payload.input)).toEqual([{ command: 'ls' }, 'not json'])
    expect(of(drafts, 'user_prompt')[0]?.payload.text).toBe('half \ufffd here')
  })

  test('a synthetic answer is the client speaking', () => {
    const synthetic = { model: '<synthetic>' }
    const drafts = decode([
      assistant(
        'a1',
        null,
        'x1',
        [{ type: 'text', text: 'API Error: 529 Overloaded' }],
        { isApiErrorMessage: true, error: 'overloaded' },
        synthetic,
      ),
      assistant('a2', null, 'x2', [{ type: 'text', text: 'No response requested.' }], {}, synthetic),
    ])
    expect(drafts.map(({ kind }) => kind)).toEqual(['error', 'turn_ended'])
    expect(of(drafts, 'error')[0]?.payload).toEqual({
      origin: 'client',
      type: 'overloaded',
      message: 'API Error: 529 Overloaded',
      status: 529,
    })
  })

  test('an error behind an answer that broke off ends the turn, and the answer does not', () => {
    const drafts = decode([
      assistant('a1', null, 'm1', [{ type: 'text', text: 'Half' }], {}, { stop_reason: 'end_turn' }),
      assistant(
        'a2',
        'a1',
        'x1',
        [{ type: 'text', text: 'API Error: Server error mid-response.' }],
        { isApiErrorMessage: true, error: 'server_error' },
        { model: '<synthetic>' },
      ),
    ])
    expect(of(drafts, 'turn_ended').map(({ payload }) => payload.reason)).toEqual(['server_error'])
  })

  test('the text of a command is the command’s, any other unknown text of the client its own message', () => {
    const typed =
      '<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>all</command-args>'
    const notes = (parent: string) =>
      of(
        decode([
          user('u1', null, typed),
          assistant('a1', 'u1', 'm1', [{ type: 'text', text: 'Hello.' }]),
          user('u2', parent, 'Greet all warmly.', { isMeta: true }),
        ]),
        'state_change',
      )
    expect(notes('u1')).toEqual([])
    expect(notes('a1').map(({ payload }) => payload.name)).toEqual(['client_message'])
  })

  test('side chains in the main file are agents, joined to the call by its prompt', () => {
    const drafts = decode([
      assistant('a1', null, 'm1', [
        { type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'Look.', subagent_type: 'x' } },
      ]),
      user('s1', null, 'Look.', { isSidechain: true }),
      assistant('s2', 's1', 'n1', [{ type: 'text', text: 'Seen.' }], { isSidechain: true }),
    ])
    expect(of(drafts, 'agent_started')[0]).toMatchObject({ agent_id: 'sidechain-s1', parents: ['call:t1'] })
    expect(of(drafts, 'assistant_text')[0]).toMatchObject({
      agent_id: 'sidechain-s1',
      parents: ['agent:sidechain-s1:start'],
    })
    expect(of(drafts, 'user_prompt')).toEqual([])
  })

  test('cycles, missing parents and several roots', () => {
    const drafts = decode([
      user('u1', 'a1', 'Go.', { logicalParentUuid: 'u1' }),
      assistant('a1', 'u1', 'm1', [{ type: 'text', text: 'one' }]),
      assistant('a2', 'gone', 'm2', [{ type: 'text', text: 'two' }]),
      user('u2', null, 'Again.'),
      assistant('a3', 'u2', 'm3', [{ type: 'text', text: 'three' }]),
    ])
    expect(of(drafts, 'assistant_text').map(({ parents }) => parents[0])).toEqual(['line:u1', 'line:u1', 'line:u2'])
  })

  test('an invalid JSON line and one of an unknown type stay raw and affect no other line', () => {
    const drafts = decode([
      user('u1', null, 'Go.'),
      '{"type":"user","mess',
      '[1]',
      { ...common, type: 'hologram', rays: 3 },
      user('u2', 'u1', 'On.'),
    ])
    expect(of(drafts, 'unknown').map(({ payload }) => payload.what)).toEqual([
      'transcript:broken',
      'transcript:broken',
      'transcript:hologram',
    ])
    expect(of(drafts, 'user_prompt')).toHaveLength(2)
    // Read again, the same line is the same fact.
    expect(decode(['{"type":"user","mess'])[0]?.keys).toEqual(of(drafts, 'unknown')[0]?.keys)
  })
})

describe('lines of the user', () => {
  test("the client's own words are no prompts", () => {
    const drafts = decode([
      user('u1', null, 'Caveat', { isMeta: true }),
      user('u2', null, '<local-command-stdout>x</local-command-stdout>'),
      user('u3', null, '[Request interrupted by user]'),
      user('u4', null, [{ type: 'text', text: '<system-reminder>\nx\n</system-reminder>' }]),
      user('u5', null, 'Seen by the person only', { isVisibleInTranscriptOnly: true }),
      user('u6', null, 'Mine.'),
    ])
    expect(of(drafts, 'user_prompt').map(({ payload }) => payload.text)).toEqual(['Mine.'])
  })

  test('a prompt of the queue that an interruption sends has the answer, not the call that it stopped', () => {
    const call = [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]
    const drafts = decode([
      user('u1', null, 'Wait'),
      assistant('a1', 'u1', 'm1', call),
      user('u2', 'a1', 'Also this'),
      user('u3', 'a1', [{ type: 'tool_result', tool_use_id: 't1', content: 'refused', is_error: true }]),
      user('u4', 'u3', '[Request interrupted by user for tool use]'),
      assistant('a2', 'u4', 'm2', [{ type: 'text', text: 'Both.' }]),
      user('u5', 'a2', [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }]),
      user('u6', 'u5', '[Request interrupted by user for tool use]'),
      assistant('a3', 'u6', 'm3', [{ type: 'text', text: 'No prompt came.' }]),
    ])
    expect(of(drafts, 'state_change').map(({ parents }) => parents)).toEqual([['result:t1'], ['result:t1']])
    expect(of(drafts, 'assistant_text').map(({ parents }) => parents[0])).toEqual(['line:u2', 'result:t1'])
  })

  test('a refused call is distinguished from a failed one', () => {
    const result = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, is_error: true, content }]
    const drafts = decode([
      user('u1', null, result('t1', 'touch needs your leave'), { toolDenialKind: 'user-rejected' }),
      user('u2', null, result('t2', "The user doesn't want to proceed with this tool use. The tool use was rejected")),
      user('u3', null, result('t3', '<tool_use_error>Error: No such tool</tool_use_error>')),
    ])
    expect(
      of(drafts, 'tool_result').map((draft) => [draft.payload.rejected, draft.success, draft.error_message]),
    ).toEqual([
      [true, false, 'touch needs your leave'],
      [true, false, "The user doesn't want to proceed with this tool use. The tool use was rejected"],
      [false, false, 'No such tool'],
    ])
  })

  test('an edit keeps its patch, without the file before it', () => {
    const edit = recordedRun('calls').transcripts[0]?.lines.find((line) => JSON.stringify(line).includes('+three'))
    const detail = of(decode(linesOf('calls')), 'tool_result').find(({ payload }) => payload.tool_name === 'Edit')
      ?.payload.detail
    expect(edit).toBeDefined()
    expect(detail).toMatchObject({ structuredPatch: [{ oldStart: 1, lines: [' one', '-two', '+three'] }] })
    expect(detail).not.toHaveProperty('originalFile')
  })
})

describe('compaction', () => {
  test('boundary and summary are one event, with sizes and the bare summary', () => {
    const compactions = of(decode(linesOf('resume-compact')), 'compaction')
    expect(compactions).toHaveLength(1)
    expect(compactions[0]?.payload).toMatchObject({
      trigger: 'manual',
      summary: '1. Primary Request: the user spoke of zebras.',
    })
    expect(compactions[0]?.payload.tokens_before).toBeGreaterThan(0)
    expect(compactions[0]?.payload.tokens_after).toBeGreaterThan(2000)
    expect(compactions[0]?.keys.filter((key) => key.startsWith('line:'))).toHaveLength(2)
  })

  test('a boundary whose summary never came is still reported', () => {
    const boundary = {
      ...common,
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b1',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'auto', preTokens: 9 },
    }
    expect(of(decode([boundary]), 'compaction')[0]).toMatchObject({
      keys: ['line:b1'],
      payload: { trigger: 'auto', summary: '', tokens_before: 9 },
    })
  })
})
