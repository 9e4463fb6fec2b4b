import { describe, expect, test } from 'vitest'
import { of } from '../../fixtures/drafts.ts'
import { block, decode, decoderFor, ended, event, rich, started, text } from '../../fixtures/streams.ts'

describe('a streamed answer', () => {
  test('becomes its blocks, usage and response, each with its keys and parents', () => {
    const drafts = decode([rich])
    expect(drafts.map(({ kind }) => kind)).toEqual([
      'thinking',
      'thinking',
      'assistant_text',
      'tool_call',
      'api_usage',
      'model_response',
    ])
    expect(drafts.map(({ keys }) => keys)).toEqual([
      ['block:msg_1:0'],
      ['block:msg_1:1'],
      ['block:msg_1:2'],
      ['call:toolu_1', 'block:msg_1:3'],
      ['usage:msg_1'],
      ['exchange:e1:response', 'response:msg_1'],
    ])
    expect(drafts.map(({ parents }) => parents[0])).toEqual([
      'result:t0',
      'block:msg_1:0',
      'block:msg_1:1',
      'block:msg_1:2',
      'block:msg_1:3',
      'exchange:e1:request',
    ])
    expect(
      of(drafts, 'thinking').map(({ payload }) => [payload.text, payload.signature_only, payload.withheld]),
    ).toEqual([
      ['Grün 😀 考え', false, undefined],
      ['', false, true],
    ])
    expect(of(drafts, 'tool_call')[0]?.payload.input).toEqual({ command: 'echo ü' })
    expect(of(drafts, 'api_usage')[0]?.payload).toMatchObject({
      basis: 'measured',
      ttft_ms: 200,
      usage: {
        input_tokens: 10,
        output_tokens: 40,
        cache_creation_input_tokens: 5,
        cache_creation_1h_input_tokens: 2,
        thinking_tokens: 12,
      },
    })
    expect(of(drafts, 'model_response')[0]).toMatchObject({
      duration_ms: 1000,
      success: true,
      payload: { cut_by: null, stop_reason: 'tool_use', streamed: true },
    })
  })

  test('is the same wherever it is cut', () => {
    const bytes = Buffer.from(rich)
    const whole = decode([bytes])
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    }
    expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    expect(decode([rich.replaceAll('\n', '\r\n')]).map(({ payload }) => ({ ...payload, body_bytes: 0 }))).toEqual(
      whole.map(({ payload }) => ({ ...payload, body_bytes: 0 })),
    )
  })

  test('shows its words as they come', () => {
    const decoder = decoderFor({})
    const deltas = [...Buffer.from(rich)].flatMap((byte) => decoder.push(Uint8Array.of(byte), 1200))
    const joined = (kind: string) =>
      deltas
        .filter(({ block: of }) => of === kind)
        .map(({ text: piece }) => piece)
        .join('')
    expect(joined('thinking')).toBe('Grün 😀 考え')
    expect(joined('text')).toBe('Zeile eins\r\n日本語 end')
    expect(joined('tool_input')).toBe('{"command":"echo ü"}')
    expect(deltas.filter(({ done }) => done).map(({ index }) => index)).toEqual([0, 2, 3])
    expect(deltas.find(({ block: of }) => of === 'tool_input')?.tool_name).toBe('Bash')
  })

  test('ends the turn where the model is done', () => {
    const done = decode([started() + text(0, 'Done.') + ended('end_turn')])
    expect(of(done, 'turn_ended')[0]).toMatchObject({
      keys: ['turn-end:msg_1', 'exchange:e1:turn_end'],
    })
    expect(of(done, 'turn_ended')[0]?.payload).toEqual({ reason: 'end_turn', last_text: 'Done.' })
    const printed = decode([started() + text(0, 'Done.') + ended('end_turn')], {
      context: { headers: [['User-Agent', 'claude-cli/2.1.332 (external, sdk-cli)']] },
    })
    expect(of(printed, 'turn_ended')[0]?.payload).toMatchObject({ ends_session: true })
    const agent = decode([started() + text(0, 'Done.') + ended('end_turn')], {
      context: { agentId: 'a1', requestKind: 'subagent' },
    })
    expect(of(agent, 'turn_ended')).toEqual([])
  })

  test('keeps stop details of a refusal', () => {
    const refused =
      started() +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { category: 'cyber' } },
        usage: null,
      }) +
      event({ type: 'message_stop' })
    expect(of(decode([refused]), 'model_response')[0]?.payload).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { category: 'cyber' },
    })
  })

  test('says what the API took out of the context by itself', () => {
    const edits = [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 3, cleared_input_tokens: 9000 }]
    const edited =
      started() +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 3 },
        context_management: { applied_edits: edits },
      }) +
      event({ type: 'message_stop' })
    expect(of(decode([edited]), 'model_response')[0]?.payload.applied_edits).toEqual(edits)
    expect(of(decode([started() + ended('end_turn')]), 'model_response')[0]?.payload).not.toHaveProperty(
      'applied_edits',
    )
  })

  test('signatures without text are thinking that was not asked for', () => {
    const drafts = decode([
      started() +
        block(0, { type: 'thinking', thinking: '' }, { type: 'signature_delta', signature: 'c2ln' }) +
        ended('end_turn'),
    ])
    expect(of(drafts, 'thinking')[0]?.payload).toMatchObject({ text: '', signature_only: true })
  })
})

describe('blocks of every kind', () => {
  test('server tools, hosted MCP, citations, compaction, fallback', () => {
    const drafts = decode([
      started() +
        block(
          0,
          { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":"q"}' },
        ) +
        block(1, {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_1',
          content: [{ type: 'web_search_result', url: 'https://example.org', title: 'T', encrypted_content: 'zz' }],
        }) +
        block(2, { type: 'mcp_tool_use', id: 'mcp_1', name: 'find', server_name: 's', input: { a: 1 } }) +
        block(3, {
          type: 'mcp_tool_result',
          tool_use_id: 'mcp_1',
          is_error: true,
          content: [{ type: 'text', text: 'not found' }],
        }) +
        block(4, {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_2',
          content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
        }) +
        block(
          5,
          { type: 'text', text: '', citations: [] },
          { type: 'text_delta', text: 'It is so.' },
          { type: 'citations_delta', citation: { url: 'https://example.org' } },
        ) +
        block(
          6,
          { type: 'compaction', content: '' },
          { type: 'compaction_delta', content: '<summary>Short.</summary>' },
        ) +
        block(7, { type: 'fallback', from: { model: 'big' }, to: { model: 'small' } }) +
        ended('end_turn'),
    ])
    expect(
      of(drafts, 'tool_call').map(({ payload }) => [payload.tool_name, payload.input, payload.server_side]),
    ).toEqual([
      ['web_search', { query: 'q' }, true],
      ['find', { a: 1 }, true],
    ])
    expect(of(drafts, 'tool_result').map((draft) => [draft.keys, draft.parents, draft.success])).toEqual([
      [['result:srv_1', 'block:msg_1:1'], ['call:srv_1'], true],
      [['result:mcp_1', 'block:msg_1:3'], ['call:mcp_1'], false],
      [['result:srv_2', 'block:msg_1:4'], ['call:srv_2'], false],
    ])
    expect(of(drafts, 'assistant_text')[0]?.payload.citations).toEqual([{ url: 'https://example.org' }])
    expect(of(drafts, 'compaction')[0]?.payload.summary).toBe('Short.')
    expect(of(drafts, 'state_change')[0]?.payload).toEqual({ name: 'model_fallback', from: 'big', to: 'small' })
  })

  test('what no one knows stays, raw, and costs nothing else', () => {
    const odd = { type: 'hologram', rays: [1, 2] }
    const drafts = decode([
      started() +
        block(0, odd) +
        event({ type: 'content_block_delta', index: 1, delta: { type: 'smell_delta', smell: 'x' } }) +
        event({ type: 'weather', sky: 'blue' }) +
        'data: {"type":"content_block_del\n\n' +
        'event: odd\ndata: 17\n\n' +
        text(2, 'Still here.') +
        ended('end_turn'),
    ])
    expect(
      of(drafts, 'unknown')
        .map(({ payload }) => payload.what)
        .sort(),
    ).toEqual(['block:hologram', 'block:none', 'delta:smell_delta', 'event:odd', 'event:weather', 'stream:broken'])
    expect(of(drafts, 'unknown')[0]?.payload.raw).toEqual(odd)
    expect(of(drafts, 'assistant_text')[0]?.payload.text).toBe('Still here.')
  })

  test('a tool input that breaks off stays as it came', () => {
    const cut =
      started() +
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
      }) +
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"command":"ec' },
      })
    const drafts = decode([cut], { outcome: 'client_aborted' })
    expect(of(drafts, 'tool_call')[0]?.payload.input).toBe('{"command":"ec')
    expect(of(drafts, 'model_response')[0]).toMatchObject({ success: false, payload: { cut_by: 'client' } })
    expect(of(drafts, 'error')).toEqual([])
    expect(of(drafts, 'api_usage')[0]?.payload.basis).toBe('lower_bound')
  })
})

describe('answers beside the conversation', () => {
  test('a message in one piece', () => {
    const message = {
      id: 'msg_2',
      type: 'message',
      model: 'claude-x',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: null,
        service_tier: 'standard',
        iterations: [{ type: 'compaction', input_tokens: 9 }],
      },
    }
    const drafts = decode([JSON.stringify(message)], { headers: [['content-type', 'application/json']] })
    expect(drafts.map(({ kind }) => kind)).toEqual([
      'assistant_text',
      'tool_call',
      'api_usage',
      'api_usage',
      'model_response',
    ])
    expect(of(drafts, 'api_usage')[0]?.payload).toMatchObject({
      basis: 'measured',
      iterations: [{ type: 'compaction', input_tokens: 9 }],
      usage: { cache_read_input_tokens: 0, service_tier: 'standard' },
    })
  })

  test('a summary becomes a compaction, its analysis kept beside it', () => {
    const drafts = decode(
      [started() + text(0, '<analysis>hm</analysis>\n<summary>\n1. All of it.\n</summary>') + ended('end_turn')],
      { context: { requestKind: 'compaction' } },
    )
    expect(of(drafts, 'assistant_text')).toEqual([])
    expect(of(drafts, 'compaction')[0]).toMatchObject({
      payload: { summary: '1. All of it.', tokens_before: 10 },
      parents: [],
      sighting: { analysis: 'hm' },
    })
    expect(of(drafts, 'turn_ended')).toEqual([])
  })

  test('a summary that was cut compacts nothing, and its words are kept', () => {
    const drafts = decode([started() + text(0, '<summary>\n1. Half of')], {
      outcome: 'client_aborted',
      context: { requestKind: 'compaction' },
    })
    expect(of(drafts, 'compaction')).toEqual([])
    expect(of(drafts, 'assistant_text')).toEqual([])
    expect(of(drafts, 'state_change')[0]?.payload).toEqual({ name: 'side_answer', to: '<summary>\n1. Half of' })
  })

  test('a side call hangs from its own request; count_tokens says nothing of a message', () => {
    const side = decode([started() + text(0, '{"title":"x"}') + ended('end_turn')], {
      context: { requestKind: 'side_call' },
    })
    expect(of(side, 'assistant_text')[0]?.parents).toEqual(['exchange:e1:request'])
    const count = decode(['{"input_tokens":5}'], {
      headers: [['content-type', 'application/json']],
      context: { requestKind: 'infrastructure' },
    })
    expect(count.map(({ kind }) => kind)).toEqual(['model_response'])
  })
})
