import { expect, test } from 'vitest'
import { minutesIn } from '../../keeper/leave-after.ts'
import { isUnused } from './keeper.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

test('only a keeper that no client has used since the stop, nor shortly before, may be ended', () => {
  const unused = (usedAt: string | null) => isUnused({ usedAt, since: at(20) }, Date.parse(at(22)))
  expect([null, at(16), at(18), at(21)].map(unused)).toEqual([true, true, false, false])
  expect(isUnused({ usedAt: at(21), since: at(20) }, Date.parse(at(59)))).toBe(false)
})

test('an app that aspy run started ends after minutes without a client; others stay', () => {
  expect(minutesIn(['aspy.js', 'serve', '--json', '--leave-after', '5', '--data', '/d'])).toBe(5)
  expect(minutesIn(['aspy.js', 'serve', '--leave-after=60'])).toBe(60)
  expect(minutesIn(['aspy.js', 'serve', '--wait'])).toBeNull()
})
