import { expect, test } from 'vitest'
import { refusalOf } from './refusals.ts'

const over = { cap: 'day_usd', scope: 'now', limit: 0.01, used: 0.02, guess: 0.01 } as const

test('a refusal says whose cap it is, what it sums up, and where that cap is changed', () => {
  const { message } = refusalOf(over, 'rule', 'messages')
  expect(message).toContain('bring today to about $0.030; your cap per day is $0.010. ')
  expect(message).toContain('aspy config set guard.day_usd N')
  const own = refusalOf({ ...over, project: '/home/me/shop' }, 'rule', 'messages').message
  expect(own).toContain('bring today in /home/me/shop to about $0.030; your cap per day for /home/me/shop is $0.010')
  expect(own).toContain('change day_usd of this project in guard.projects')
  expect(own).not.toContain('guard.day_usd')
  const calls = { ...over, cap: 'repeat_calls', project: '/home/me/shop', limit: 3, used: 3 } as const
  expect(refusalOf(calls, 'rule', 'responses').message).toContain('your cap on repeated calls for /home/me/shop is 3')
  const session = refusalOf({ ...over, cap: 'session_usd', project: '/p' }, 'rule', 'messages').message
  expect(session).toContain('bring the session to about $0.030; your cap per session for /p is')
})
