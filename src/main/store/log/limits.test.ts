import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, limitBlock } from './limits.ts'

test('a text is cut at a character, says how long it was, and is not cut twice', () => {
  expect(cutText('short', 5)).toBe('short')
  expect(cutText('ünïcode', 3)).toBe('ün... [truncated, 9 bytes total]')
  expect(cutText('a😀b', 3)).toBe('a... [truncated, 6 bytes total]')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 0, max: 200 }), (text, bytes) => {
      const cut = cutText(text, bytes)
      const kept = cut.replace(/\.\.\. \[truncated, \d+ bytes total\]$/, '')
      expect(text.startsWith(kept)).toBe(true)
      expect(Buffer.byteLength(kept) <= bytes || cut === text).toBe(true)
      expect(cut === text).toBe(Buffer.byteLength(text) <= bytes)
      expect(cutText(cut, bytes)).toBe(cut)
    }),
  )
})

test('blocks of requests follow the same switches', () => {
  const limits = { store_thinking: true, store_tool_io: true, max_thinking_size: 4, max_prompt_size: 4 }
  const off = { ...limits, store_thinking: false, store_tool_io: false }
  const thinking = JSON.stringify({ type: 'thinking', thinking: 'long thought', signature: 's' })
  const call = JSON.stringify({ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } })
  const result = JSON.stringify({ type: 'web_search_tool_result', tool_use_id: 'c', content: 'found' })
  const text = JSON.stringify({ type: 'text', text: 'thinking about tool_use' })
  expect([call, result, text].map((block) => limitBlock(block, limits))).toEqual([call, result, text])
  expect(JSON.parse(limitBlock(thinking, limits))).toMatchObject({ thinking: 'long... [truncated, 12 bytes total]' })
  expect(JSON.parse(limitBlock(thinking, off))).toEqual({ type: 'thinking', thinking: '', signature: 's' })
  expect(JSON.parse(limitBlock(call, off))).toEqual({ type: 'tool_use', id: 'c', name: 'Bash', input: {} })
  expect(JSON.parse(limitBlock(result, off))).toMatchObject({ content: [] })
  expect([text, '"plain string"', '{not json', '7'].map((block) => limitBlock(block, off))).toEqual([
    text,
    '"plain string"',
    '{not json',
    '7',
  ])
})
