import { expect, test } from 'vitest'
import { messageBlocks, systemBlocks, toolBlocks } from './exchange-blocks.ts'

test('blocks have the places at which the prompt cache reads them: tools, system prompt, messages', () => {
  const text = (value: string) => ({ type: 'text', text: value })
  const body = {
    tools: [{ name: 'Read' }, { name: 'mcp__notes__find' }],
    system: [text('one'), text('two')],
    messages: [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: 'c' },
      // A message with another field is one block as a whole.
      { role: 'user', content: [text('d'), text('e')], id: 'x' },
      { role: 'user', content: [text('f')] },
    ],
  }
  expect(toolBlocks(body).map(({ position }) => position)).toEqual([0, 1])
  expect(systemBlocks(body).map(({ position }) => position)).toEqual([2, 3])
  expect(messageBlocks(body).map(({ text: shown, position }) => [shown, position])).toEqual([
    ['a', 4],
    ['b', 5],
    ['c', 6],
    ['d', undefined],
    ['e', undefined],
    ['f', 8],
  ])
})
