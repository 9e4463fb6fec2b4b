import { expect, test } from 'vitest'
import { defaultDataDir } from '../../base/default-data-dir.ts'
import { refusalOf } from './refusals.ts'

const dataDir = defaultDataDir()
const over = { cap: 'day_usd', scope: 'now', limit: 0.01, used: 0.02, guess: 0.01 } as const

test('a refusal names the data folder if commands would look at another one', () => {
  const refused = (by: 'rule' | 'timeout') => refusalOf(over, by, 'messages', '/srv/my data').message
  expect(refused('rule')).toContain("aspy config set guard.day_usd N --data '/srv/my data' (0: no cap). Then")
  expect(refused('timeout')).toMatch(/aspy guard --data '\/srv\/my data'$/)
})

test('a refusal says whose cap it is, what it sums up, and where that cap is changed', () => {
  const { message } = refusalOf(over, 'rule', 'messages', dataDir)
  expect(message).toContain('today is estimated at up to $0.030 ($0.020 without it); your cap per day is $0.010. ')
  expect(message).toContain('aspy config set guard.day_usd N')
  const own = refusalOf({ ...over, project: '/home/me/shop' }, 'rule', 'messages', dataDir).message
  expect(own).toContain(
    'today in /home/me/shop is estimated at up to $0.030 ($0.020 without it); your cap per day for /home/me/shop is $0.010',
  )
  expect(own).toContain('aspy config set guard.projects./home/me/shop.day_usd N (0: no cap)')
  const spaced = refusalOf({ ...over, project: "/home/me/Ann's shop" }, 'rule', 'messages', dataDir).message
  expect(spaced).toContain(String.raw`aspy config set 'guard.projects./home/me/Ann'\''s shop.day_usd' N`)
  expect(own).not.toContain('guard.day_usd')
  const calls = { ...over, cap: 'repeat_calls', project: '/home/me/shop', limit: 3, used: 3 } as const
  expect(refusalOf(calls, 'rule', 'responses', dataDir).message).toContain(
    'your cap on repeated calls for /home/me/shop is 3',
  )
  const session = refusalOf({ ...over, cap: 'session_usd', project: '/p' }, 'rule', 'messages', dataDir).message
  expect(session).toContain(
    'the session is estimated at up to $0.030 ($0.020 without it); your cap per session for /p is',
  )
})
