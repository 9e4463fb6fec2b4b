import { expect, test } from 'vitest'
import { modelColor } from './model-color.ts'

test('a family has one color, its versions have shades of it, and unknown models share the last', () => {
  expect(modelColor('claude-opus-5-5')).toBe('var(--chart-1)')
  expect(modelColor('claude-opus-4-8')).toContain('var(--chart-1) 72%')
  expect(modelColor('claude-opus-4-1-20250805')).toContain('var(--chart-1) 52%')
  expect(modelColor('claude-sonnet-5-5')).toBe('var(--chart-2)')
  expect(modelColor('claude-haiku-5-5')).toBe('var(--chart-3)')
  expect(modelColor('claude-3-5-haiku-20241022')).toContain('var(--chart-3) 52%')
  expect(modelColor('gpt-5.5-codex')).toBe('var(--chart-4)')
  expect(modelColor('somebody-elses')).toBe('var(--chart-6)')
})
