import { expect, test } from 'vitest'
import { betterTitle, titleOf } from './session-title.ts'

const PLAN = 'Implement the following plan:\n\n# Paint the till'

test.each([
  [['/review the till', 'fix the rounding'], 'fix the rounding'],
  [['/compact', 'thanks'], 'thanks'],
  [['/plan paint the till red', 'commit this'], '/plan paint the till red'],
  [['/compact keep the till red', 'fix the rounding'], 'fix the rounding'],
  [['/tmp/till is not red', 'commit this'], '/tmp/till is not red'],
  [['push', 'write the changelog', 'push it again'], 'write the changelog'],
  [[PLAN, 'push'], 'Implement the following plan: Paint the till'],
  [[PLAN, 'commit this'], 'Implement the following plan: Paint the till'],
  [['mix the paint', PLAN], 'mix the paint'],
  [['/review', '181', 'fix the rounding'], 'fix the rounding'],
  [['1)', 'fix the rounding'], 'fix the rounding'],
  [['修复舍入错误', 'fix the rounding'], '修复舍入错误'],
])('of %j, the first that says most is the title', (prompts, expected) => {
  const titles = prompts.map((text, at) => titleOf(text, `2026-11-28T10:0${at}:00.000Z`))
  expect(titles.reduce(betterTitle, null)?.title).toBe(expected)
  expect(titles.toReversed().reduce(betterTitle, null)?.title).toBe(expected)
})
