import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/event.ts'
import type { AnyDraft } from '../draft.ts'
import { of } from '../fixtures/drafts.ts'
import { block, decode, ended, event, started, text } from '../fixtures/streams.ts'

const thinking = (index: number, ...pieces: string[]) =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    ...pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature: `signature of ${index}` },
  )
const tool = (index: number, id: string, input: string) =>
  block(
    index,
    { type: 'tool_use', id, name: 'Bash', input: {} },
    { type: 'input_json_delta', partial_json: input.slice(0, 5) },
    { type: 'input_json_delta', partial_json: input.slice(5) },
  )
const opened = (index: number, content: JsonObject) =>
  event({ type: 'content_block_start', index, content_block: content })
const piece = (index: number, delta: JsonObject) => event({ type: 'content_block_delta', index, delta })
const closed = (index: number) => event({ type: 'content_block_stop', index })

/** The content, in the order of the drafts: kind, index in the message, text or input. */
const said = (drafts: readonly AnyDraft[]) =>
  drafts.flatMap((draft) => {
    if (draft.kind === 'thinking' || draft.kind === 'assistant_text')
      return [[draft.kind, draft.payload.index, draft.payload.text]]
    return draft.kind === 'tool_call' ? [[draft.kind, draft.payload.index, draft.payload.input]] : []
  })

describe('an answer with several blocks of a kind', () => {
  test('keeps each of its thinking blocks, with its own text, in order', () => {
    const drafts = decode([
      started() +
        thinking(0, 'First ', 'thought.') +
        thinking(1, 'Second.') +
        thinking(2, 'Third.') +
        ended('end_turn'),
    ])
    expect(said(drafts)).toEqual([
      ['thinking', 0, 'First thought.'],
      ['thinking', 1, 'Second.'],
      ['thinking', 2, 'Third.'],
    ])
    expect(of(drafts, 'thinking').map(({ keys, parents }) => [keys, parents[0]])).toEqual([
      [['block:msg_1:0'], 'result:t0'],
      [['block:msg_1:1'], 'block:msg_1:0'],
      [['block:msg_1:2'], 'block:msg_1:1'],
    ])
  })

  test('keeps each of them where a relay counts from 0 again', () => {
    const again = [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_3', name: 'Bash' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"command":"c"}' } },
    ]
    const drafts = decode([
      started() +
        thinking(0, 'Hm.') +
        text(0, 'One.') +
        text(0, 'Two.') +
        tool(0, 'toolu_1', '{"command":"a"}') +
        tool(1, 'toolu_2', '{"command":"b"}') +
        opened(0, { type: 'text', text: '' }) +
        again.map(event).join('') +
        ended('tool_use'),
    ])
    expect(said(drafts)).toEqual([
      ['thinking', 0, 'Hm.'],
      ['assistant_text', 1, 'One.'],
      ['assistant_text', 2, 'Two.'],
      ['tool_call', 3, { command: 'a' }],
      ['tool_call', 4, { command: 'b' }],
      ['tool_call', 6, { command: 'c' }],
    ])
  })

  test.each([undefined, '0'])('keeps each of them where a relay writes all indexes as %j', (index) => {
    const of0 = (stream: string) =>
      stream.replaceAll('"index":0,', index === undefined ? '' : '"index":"0",').replaceAll(',"index":0', '')
    const blocks = of0(text(0, 'One', ' and two.') + tool(0, 'toolu_1', '{"command":"a"}') + text(0, 'Three.'))
    expect(said(decode([started() + blocks + ended('tool_use')]))).toEqual([
      ['assistant_text', 0, 'One and two.'],
      ['tool_call', 1, { command: 'a' }],
      ['assistant_text', 2, 'Three.'],
    ])
  })

  test('keeps one block whole whose start comes after its end', () => {
    const pieces = ['one', ' two'].map((value) => piece(0, { type: 'text_delta', text: value }))
    const [first = '', last = ''] = pieces
    const late = first + closed(0) + opened(0, { type: 'text', text: '' }) + last
    expect(said(decode([started() + late + ended('end_turn')]))).toEqual([['assistant_text', 0, 'one two']])
  })

  test('keeps thinking between texts and calls where it stood', () => {
    const drafts = decode([
      started() +
        thinking(0, 'Look first.') +
        text(1, 'I look.') +
        tool(2, 'toolu_1', '{"command":"ls"}') +
        thinking(3, 'Then read.') +
        tool(4, 'toolu_2', '{"command":"cat a"}') +
        thinking(5, 'Enough.') +
        text(6, 'Done.') +
        ended('end_turn'),
    ])
    expect(said(drafts)).toEqual([
      ['thinking', 0, 'Look first.'],
      ['assistant_text', 1, 'I look.'],
      ['tool_call', 2, { command: 'ls' }],
      ['thinking', 3, 'Then read.'],
      ['tool_call', 4, { command: 'cat a' }],
      ['thinking', 5, 'Enough.'],
      ['assistant_text', 6, 'Done.'],
    ])
  })

  test('puts blocks in the order of their indexes when they arrive out of order', () => {
    const drafts = decode([
      started() +
        tool(3, 'toolu_1', '{"command":"ls"}') +
        thinking(2, 'Later.') +
        text(1, 'Said.') +
        thinking(0, 'Earlier.') +
        ended('tool_use'),
    ])
    expect(said(drafts)).toEqual([
      ['thinking', 0, 'Earlier.'],
      ['assistant_text', 1, 'Said.'],
      ['thinking', 2, 'Later.'],
      ['tool_call', 3, { command: 'ls' }],
    ])
    expect(drafts.slice(0, 4).map(({ parents }) => parents[0])).toEqual([
      'result:t0',
      'block:msg_1:0',
      'block:msg_1:1',
      'block:msg_1:2',
    ])
  })

  test('orders more than ten blocks by number', () => {
    const indexes = [11, 10, 2, 1, 0, 9, 3, 8, 4, 7, 5, 6]
    const drafts = decode([
      started() + indexes.map((index) => text(index, `Text ${index}.`)).join('') + ended('end_turn'),
    ])
    expect(said(drafts)).toEqual(indexes.map((_, index) => ['assistant_text', index, `Text ${index}.`]))
  })

  test('gives each delta to the block that it names when the deltas of two blocks alternate', () => {
    const drafts = decode([
      started() +
        opened(0, { type: 'thinking', thinking: '' }) +
        opened(1, { type: 'thinking', thinking: '' }) +
        opened(2, { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }) +
        piece(1, { type: 'thinking_delta', thinking: 'two ' }) +
        piece(2, { type: 'input_json_delta', partial_json: '{"command":' }) +
        piece(0, { type: 'thinking_delta', thinking: 'one ' }) +
        piece(1, { type: 'thinking_delta', thinking: 'deux' }) +
        closed(1) +
        piece(2, { type: 'input_json_delta', partial_json: '"ls"}' }) +
        piece(0, { type: 'thinking_delta', thinking: 'un' }) +
        closed(2) +
        closed(0) +
        ended('tool_use'),
    ])
    expect(said(drafts)).toEqual([
      ['thinking', 0, 'one un'],
      ['thinking', 1, 'two deux'],
      ['tool_call', 2, { command: 'ls' }],
    ])
  })
})

describe('the final usage', () => {
  const atStart = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 70,
    cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 20 },
    server_tool_use: { web_search_requests: 2 },
    service_tier: 'standard',
    speed: 'fast',
    inference_geo: 'us',
  }
  const kept = {
    input_tokens: 10,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 70,
    cache_creation_1h_input_tokens: 20,
    web_search_requests: 2,
    service_tier: 'standard',
    speed: 'fast',
    inference_geo: 'us',
  }
  const usageOf = (final: JsonObject) =>
    of(decode([started(atStart) + text(0, 'Hi.') + ended('end_turn', final)]), 'api_usage').map(({ payload }) => [
      payload.basis,
      payload.usage,
    ])

  test('adds to that of the start; a null in it erases nothing, nor does one within an object', () => {
    const nulls = Object.fromEntries(Object.keys(atStart).map((field) => [field, null]))
    expect(usageOf({ ...nulls, output_tokens: 40, output_tokens_details: null })).toEqual([
      ['measured', { ...kept, output_tokens: 40, thinking_tokens: null }],
    ])
    const within = {
      output_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: null, ephemeral_1h_input_tokens: null },
      server_tool_use: { web_search_requests: null },
      output_tokens_details: { thinking_tokens: 5 },
    }
    expect(usageOf(within)).toEqual([['measured', { ...kept, output_tokens: 40, thinking_tokens: 5 }]])
  })

  test.each<[string, JsonObject, string, object]>([
    [
      'under the names of another API',
      { prompt_tokens: 50, prompt_tokens_details: { cached_tokens: 20 }, completion_tokens: 7, total_tokens: 57 },
      'measured',
      { input_tokens: 30, cache_read_input_tokens: 20, output_tokens: 7 },
    ],
    [
      'that wins over other names',
      { input_tokens: 5, output_tokens: 6, prompt_tokens: 50 },
      'measured',
      { input_tokens: 5 },
    ],
    [
      'under the names of Bedrock',
      { inputTokens: 5, outputTokens: 6, cacheReadInputTokens: 7, cacheWriteInputTokens: 8 },
      'measured',
      { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 7, cache_creation_input_tokens: 8 },
    ],
    [
      'as digits in texts',
      { input_tokens: '5', output_tokens: '6', cache_read_input_tokens: '-7' },
      'measured',
      { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 0 },
    ],
    ['with one sum alone', { total_tokens: 57 }, 'lower_bound', { input_tokens: 0, output_tokens: 0 }],
  ])('%s is read as far as it goes', (_, final, basis, figures) => {
    const start = event({ type: 'message_start', message: { id: 'msg_1', content: [], model: '' } })
    const [usage] = of(decode([start + text(0, 'Hi.') + ended('end_turn', final)]), 'api_usage')
    expect(usage?.payload).toMatchObject({ basis, usage: figures, model: 'asked-for' })
  })

  test.each([
    { type: 'message_stop', usage: { output_tokens: 40 } },
    { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { outputTokenCount: 40, inputTokenCount: 10 } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', usage: { output_tokens: 40 } } },
  ])('is read where a relay writes it: %j', (last) => {
    const [usage] = of(decode([started(atStart) + text(0, 'Hi.') + event(last)]), 'api_usage')
    expect(usage?.payload).toMatchObject({ basis: 'measured', usage: { ...kept, output_tokens: 40 } })
  })

  test('a zero in it is the output, and no figure of the input', () => {
    expect(usageOf({ output_tokens: 0, cache_read_input_tokens: 0, input_tokens: 0 })).toEqual([
      ['measured', { ...kept, output_tokens: 0, thinking_tokens: null }],
    ])
  })
})

test('a null stop reason after the stop reason erases nothing', () => {
  const [response] = of(decode([started() + text(0, 'Hi.') + ended('end_turn') + ended(null)]), 'model_response')
  expect(response?.payload.stop_reason).toBe('end_turn')
})
