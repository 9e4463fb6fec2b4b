import { expect, test } from 'vitest'
import { modelColor } from './model-color.ts'

test('a family has one color, its versions have shades of it, and unknown models share the last', () => {
  expect(modelColor('claude-opus-5-5')).toBe('var(--chart-1)')
  const releases = ['4-1-20250805', '4-5', '4-6', '4-7', '4-8', '5', '5-5'].map((version) => `claude-opus-${version}`)
  const shades = releases.map(modelColor)
  expect(shades.every((shade) => shade.includes('var(--chart-1)'))).toBe(true)
  expect(new Set(shades.slice(1)).size).toBe(6)
  expect(shades[0]).not.toBe(shades[1])
  expect(modelColor('claude-sonnet-5-5')).toBe('var(--chart-2)')
  expect(modelColor('claude-haiku-5-5')).toBe('var(--chart-3)')
  expect(modelColor('claude-3-5-haiku-20241022')).toContain('var(--chart-3) 67%')
  expect(modelColor('gpt-5.5-codex')).toBe('var(--chart-4)')
  expect(modelColor('somebody-elses')).toBe('var(--chart-6)')
})
