import { expect, test } from 'vitest'
import { minutesIn } from './leave-after.ts'

test('an app that aspy run started ends after minutes without a client; others stay', () => {
  expect(minutesIn(['aspy.js', 'serve', '--json', '--leave-after', '5', '--data', '/d'])).toBe(5)
  expect(minutesIn(['aspy.js', 'serve', '--leave-after=60'])).toBe(60)
  expect(minutesIn(['aspy.js', 'serve', '--wait'])).toBeNull()
})
