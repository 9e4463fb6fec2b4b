import { describe, expect, test } from 'vitest'
import type { ExchangeCost } from '../../store/read/exchange-cost.ts'
import { NONE, NOON, judgeOf, asked } from './fixtures/judge-under-test.ts'

describe('a cap stops the request that would exceed it, and no other', () => {
  test('a request as large as the cap passes, a larger one does not', () => {
    const judge = judgeOf({ request_usd: 1, request_tokens: 100 })
    expect(judge.over(asked({ usd: 1, tokens: 100 }))).toBeNull()
    expect(judge.over(asked({ usd: 1.001 }))).toMatchObject({
      cap: 'request_usd',
      limit: 1,
      used: 0,
      guess: 1.001,
    })
    expect(judge.over(asked({ tokens: 101 }))).toMatchObject({ cap: 'request_tokens' })
  })

  test('what is spent counts', () => {
    const judge = judgeOf({ session_usd: 10 }, { session: { usd: 8, tokens: 5 } })
    expect(judge.over(asked({ usd: 2 }))).toBeNull()
    expect(judge.over(asked({ usd: 2.5 }))).toEqual({
      cap: 'session_usd',
      scope: 's',
      limit: 10,
      used: 8,
      guess: 2.5,
    })
    expect(judge.over(asked({ usd: 99 }, { sessionId: null }))).toBeNull()
  })

  test('0 means no cap', () => {
    expect(judgeOf({}).over(asked({ usd: 1e6, tokens: 1e12 }))).toBeNull()
  })
})

describe('requests in flight', () => {
  test('count with their estimates until they are forgotten, in their own session', () => {
    const judge = judgeOf({ session_tokens: 100 })
    const one = asked({ tokens: 60 })
    judge.admit('first', one)
    expect(judge.over(one)).toMatchObject({ cap: 'session_tokens', used: 60, guess: 60 })
    expect(judge.over(asked({ tokens: 60 }, { sessionId: 'other' }))).toBeNull()
    judge.forget('first')
    expect(judge.over(one)).toBeNull()
  })

  test('count for the hour and the day of everybody', () => {
    const judge = judgeOf({ day_usd: 10 }, { since: () => ({ usd: 7, tokens: 0 }) })
    judge.admit('first', asked({ usd: 2 }, { sessionId: 'other' }))
    expect(judge.over(asked({ usd: 1 }))).toBeNull()
    expect(judge.over(asked({ usd: 1.5 }))).toMatchObject({ cap: 'day_usd', used: 9 })
  })
})

describe('an answer that is over', () => {
  const after = (exchange: ExchangeCost) => {
    const judge = judgeOf({ session_tokens: 100 }, { exchange })
    judge.admit('first', asked({ usd: 2, tokens: 60 }))
    judge.settle('first')
    return { used: judge.over(asked({ tokens: 101 }))?.used, kept: judge.kept() }
  }

  test('counts on with its estimate if its cost is not known, less what is stored of it', () => {
    expect(after({ kind: 'unknown' })).toEqual({ used: 60, kept: { requests: 1, usd: 2, tokens: 60 } })
    const seen = { kind: 'lower_bound', usd: 0.5, tokens: 20 } as const
    expect(after(seen)).toEqual({ used: 40, kept: { requests: 1, usd: 1.5, tokens: 40 } })
    expect(after({ ...seen, usd: 3, tokens: 70 })).toEqual({ used: 0, kept: { requests: 1, usd: 0, tokens: 0 } })
  })

  test('is counted by what is stored if that is all, or if there is nothing to pay', () => {
    const nothing = { used: 0, kept: { requests: 0, usd: 0, tokens: 0 } }
    expect(after({ kind: 'final' })).toEqual(nothing)
    expect(after({ kind: 'free' })).toEqual(nothing)
  })

  test('keeps what is known of its cost while the database cannot be read', () => {
    const [known, spent] = [{ kind: 'lower_bound', usd: 0.5, tokens: 20 } as const, { exchange: () => known }]
    const judge = judgeOf(
      { session_tokens: 100 },
      {
        get exchange() {
          return spent.exchange()
        },
      },
    )
    judge.admit('first', asked({ usd: 2, tokens: 60 }))
    judge.settle('first')
    spent.exchange = () => {
      throw new Error('damaged')
    }
    expect(() => judge.settle('first')).toThrow('damaged')
    expect(judge.kept()).toEqual({ requests: 1, usd: 1.5, tokens: 40 })
  })

  test('is looked at again, as its cost may be stored later', () => {
    const spent: { exchange: ExchangeCost } = { exchange: { kind: 'unknown' } }
    const judge = judgeOf({ session_tokens: 100 }, spent)
    for (let at = 0; at < 120; at += 1) {
      judge.admit(`${at}`, asked({ tokens: 1 }))
      judge.settle(`${at}`)
    }
    expect(judge.kept()).toMatchObject({ requests: 120, tokens: 120 })
    spent.exchange = { kind: 'final' }
    for (let round = 0; round < 3; round += 1) judge.settleAgain(NOON)
    expect(judge.kept().requests).toBe(0)
  })
})

test('a cap of 0 of a project lifts the general one, and its periods have none of their own', () => {
  const projects = [{ project: '/app', session_usd: 0, request_usd: 0, day_usd: 0 }]
  const judge = judgeOf({ session_usd: 1, request_usd: 1, day_usd: 100, projects })
  expect(judge.over(asked({ usd: 5 }, { project: '/app' }))).toBeNull()
  expect(judge.over(asked({ usd: 5 }, { project: '/other' }))).toMatchObject({ cap: 'request_usd', limit: 1 })
  expect(judge.over(asked({ usd: 101 }, { project: '/app' }))).toMatchObject({ cap: 'day_usd', limit: 100 })
})

test('hours and days begin by the local clock', () => {
  const since: number[] = []
  const judge = judgeOf(
    { hour_usd: 1, day_usd: 1 },
    {
      since: (moment) => {
        since.push(moment.getTime())
        return NONE
      },
    },
  )
  expect(judge.over(asked({}))).toBeNull()
  expect(since).toEqual([new Date(2026, 10, 20, 12).getTime(), new Date(2026, 10, 20).getTime()])
})

test("a project's own cap replaces the general one, and its periods count it alone", () => {
  const projects = [
    { project: '/other', session_usd: 3, day_usd: 60 },
    { project: '/app', session_usd: 2, day_usd: 5 },
  ]
  const guard = { session_usd: 10, day_usd: 100, projects }
  const since = (_: Date, project: string | null) => ({
    usd: project === null ? 50 : 4,
    tokens: 0,
  })
  const judge = judgeOf(guard, { since })
  const inApp = { project: '/app' }
  expect(judge.over(asked({ usd: 3 }, inApp))).toMatchObject({ cap: 'session_usd', limit: 2, project: '/app' })
  expect(judge.over(asked({ usd: 3 }))).toBeNull()
  judge.admit('elsewhere', asked({ usd: 2 }, { sessionId: 'other', project: '/other' }))
  expect(judge.over(asked({ usd: 1.5 }, inApp))).toMatchObject({
    cap: 'day_usd',
    limit: 5,
    used: 4,
    project: '/app',
  })
  expect(judge.over(asked({ usd: 1 }, inApp))).toBeNull()
  expect(judge.over(asked({ usd: 3 }, { project: '/other' }))).toBeNull()
  judge.admit('here', asked({ usd: 0.5 }, { sessionId: 'other', ...inApp }))
  expect(judge.over(asked({ usd: 1 }, inApp))).toMatchObject({ cap: 'day_usd', used: 4.5 })
  const overall = judge.over(asked({ usd: 60 }, { sessionId: null }))
  if (overall === null) throw new Error('nothing stopped it')
  expect(overall).not.toHaveProperty('project')
  judge.raise(overall, 500)
  expect(judge.over(asked({ usd: 60 }, { sessionId: null }))).toBeNull()
  expect(judge.over(asked({ usd: 1 }, inApp))).toMatchObject({ cap: 'day_usd', limit: 5 })
})

test('it says how full the caps of the hour and the day are, of each project, too', () => {
  const projects = [{ project: '/app', session_usd: 2, day_usd: 5 }, { project: '/other' }]
  const since = (_: Date, project: string | null) => ({ usd: project === null ? 50 : 4, tokens: 7 })
  const judge = judgeOf({ session_usd: 10, hour_tokens: 90, day_usd: 100, projects }, { since })
  judge.admit('in flight', asked({ usd: 0.5, tokens: 3 }, { project: '/app' }))
  expect(judge.fill(NOON)).toEqual([
    { project: null, cap: 'hour_tokens', limit: 90, used: 10 },
    { project: null, cap: 'day_usd', limit: 100, used: 50.5 },
    { project: '/app', cap: 'day_usd', limit: 5, used: 4.5 },
  ])
})

test('a raised cap has the new limit, for its scope alone', () => {
  const judge = judgeOf({ session_usd: 10, session_tokens: 5 })
  const over = judge.over(asked({ usd: 15 }))
  if (over === null) throw new Error('nothing stopped it')
  judge.raise(over, 20)
  expect(judge.over(asked({ usd: 20 }))).toBeNull()
  expect(judge.over(asked({ usd: 21 }))).toMatchObject({ limit: 20 })
  expect(judge.over(asked({ usd: 15 }, { sessionId: 'other' }))).toMatchObject({ limit: 10 })
  expect(judge.over(asked({ tokens: 6 }))).toMatchObject({ cap: 'session_tokens', limit: 5 })
  judge.raise(over, 30)
  expect(judge.over(asked({ usd: 30 }))).toBeNull()
})

test('a call may be repeated as often as the cap says', () => {
  const judge = judgeOf({ repeat_calls: 3 })
  const repeated = (count: number) => judge.over(asked({}, {}, { repeats: { count, call: 'Bash ls' } }))
  expect(repeated(3)).toBeNull()
  const over = repeated(4)
  expect(over).toMatchObject({ cap: 'repeat_calls', limit: 3, used: 3, guess: 1 })
  if (over === null) throw new Error('nothing stopped it')
  judge.raise(over, 10)
  expect(repeated(4)).toBeNull()
  for (const [sessionId, call] of [
    ['s', 'Bash pwd'],
    ['other', 'Bash ls'],
  ] as const)
    expect(judge.over(asked({}, { sessionId }, { repeats: { count: 4, call } }))).toMatchObject({ limit: 3 })
})

test('a model without a price counts with its tokens only, those of the answer, too', () => {
  const judge = judgeOf({ request_usd: 1 })
  const { request } = asked({}, {}, { model: 'nobody-knows', inputTokens: 70 })
  expect(judge.price(request, NOON)).toMatchObject({
    isUnpriced: true,
    guess: { usd: 0, tokens: 1070 },
    reserved: { usd: 0, tokens: 8070 },
  })
  expect(judge.price({ ...request, model: 'claude-opus-5-5' }, NOON).isUnpriced).toBe(false)
})

test('a day cap counts what was spent before the clock was set back, once', () => {
  const tomorrow = NOON + 24 * 3_600_000
  const judge = judgeOf({ day_usd: 10 }, { since: (since) => ({ usd: since.getTime() > NOON ? 7 : 2, tokens: 0 }) })
  for (const wall of [tomorrow, NOON, NOON]) judge.price(asked({}).request, wall)
  expect(judge.over(asked({ usd: 2 }))).toMatchObject({ cap: 'day_usd', used: 9 })
  expect(judge.over(asked({ usd: 2 }, { wall: tomorrow }))).toBeNull()
})
