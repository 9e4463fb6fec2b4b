import { expect, test } from 'vitest'
import { sessionColor } from './session-color.ts'

test('ten sessions in a row differ, each keeps its color, and none is red or amber', () => {
  const ids = Array.from({ length: 10 }, (_, at) => `session-${at}`)
  const colors = ids.map(sessionColor)
  expect(new Set(colors).size).toBe(10)
  expect(ids.toReversed().map(sessionColor)).toEqual(colors.toReversed())
  const hues = colors.map((color) => Number(/^hsl\((\d+)/.exec(color)?.[1]))
  expect(hues.filter((hue) => hue < 70 || hue > 330)).toEqual([])
})
