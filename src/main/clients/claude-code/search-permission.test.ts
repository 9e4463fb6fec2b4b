import { expect, test } from 'vitest'
import { allowsSearch } from './search-permission.ts'

test.each([
  ['mcp__plugin_aspy_aspy', true],
  ['mcp__plugin_aspy_aspy__*', true],
  ['mcp__plugin_aspy_aspy__aspy_recall_context', true],
  ['mcp__plugin_aspy_aspy(*)', true],
  ['mcp__*', true],
  ['mcp__plugin_aspy_aspy2', false],
  ['Bash(*)', false],
])('the rule %s', (rule, isAllowed) => {
  expect(allowsSearch(['Read', rule])).toBe(isAllowed)
})

test('settings without rules, or with others than a list, allow nothing', () => {
  expect([undefined, null, 'mcp__*', [1]].map(allowsSearch)).toEqual([false, false, false, false])
})
