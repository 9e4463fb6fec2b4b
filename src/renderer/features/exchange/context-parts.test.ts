import { expect, test } from 'vitest'
import { contextParts } from './context-parts.ts'

test('every part of a request is counted once, under its kind', () => {
  const parts = contextParts({
    system: [{ type: 'text', text: 'x'.repeat(40) }],
    tools: [{ name: 'Bash' }, { name: 'mcp__tracker__list' }],
    messages: [
      { role: 'user', content: 'p'.repeat(10) },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't'.repeat(20), signature: 's'.repeat(500) },
          { type: 'text', text: 'a'.repeat(8) },
          { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
          { type: 'tool_use', id: 'c2', name: 'Bash', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'f'.repeat(100) },
          { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'r'.repeat(50) }] },
        ],
      },
    ],
  })
  expect(Object.fromEntries(parts.map(({ part, characters }) => [part, characters]))).toEqual({
    system: 40,
    tools: '{"name":"Bash"}'.length,
    mcp_tools: '{"name":"mcp__tracker__list"}'.length,
    prompts: 10,
    answers: 8,
    thinking: 20,
    calls: 4,
    files: 100,
    results: 50,
  })
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(276 / 4)
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})

test('parts add up to the input that the API counted, whatever their text amounts to', () => {
  const body = { system: 'xxx', tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'p'.repeat(7) }] }
  for (const counted of [1, 7, 6299, 1_000_003])
    expect(contextParts(body, counted).reduce((sum, { tokens }) => sum + tokens, 0)).toBe(counted)
})

test('an empty body has no parts', () => {
  expect(contextParts({})).toEqual([])
})
