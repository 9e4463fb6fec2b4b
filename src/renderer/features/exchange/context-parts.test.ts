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
  expect(parts.find(({ part }) => part === 'files')?.tokens).toBe(25)
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})

test('an empty body has no parts', () => {
  expect(contextParts({})).toEqual([])
})
