import { describe, expect, test } from 'vitest'
import { type Judge } from './judge.ts'
import type { Amount } from './spending.ts'
import { judgeOf, asked } from './fixtures/judge-under-test.ts'

describe('subagents', () => {
  const by = (agentId: string, parentAgentId: string | null = null, guess: Partial<Amount> = {}) =>
    asked(guess, { agentId }, { parentAgentId })

  test('of one turn are counted once each, and again in the next turn', () => {
    const judge = judgeOf({ agents_per_turn: 2 })
    for (const agent of ['a', 'b', 'a']) {
      expect(judge.over(by(agent))).toBeNull()
      judge.admit(agent, by(agent))
    }
    expect(judge.over(by('c'))).toMatchObject({
      cap: 'agents_per_turn',
      scope: 's',
      limit: 2,
      used: 2,
      guess: 1,
    })
    // Neither an agent's turn nor a turn of another session counts as the next one.
    judge.over(asked({}, { agentId: 'a' }, { beginsTurn: true }))
    judge.over(asked({}, { sessionId: 'other' }, { beginsTurn: true }))
    expect(judge.over(by('c'))).toMatchObject({ used: 2 })
    expect(judge.over(asked({}, { sessionId: 'other', agentId: 'c' }))).toBeNull()
    expect(judge.over(asked({}, {}, { beginsTurn: true }))).toBeNull()
    expect(judge.over(by('c'))).toBeNull()
  })

  test('spend together with those above and below them, and with nobody else', () => {
    const parents = new Map([
      ['b', 'a'],
      ['c', 'b'],
      ['y', 'x'],
    ])
    const judge = judgeOf({ agent_tree_usd: 10 }, { agents: { a: 1, b: 2, c: 1, x: 50, y: 50 }, parents })
    judge.admit('1', by('a', null, { usd: 3 }))
    judge.admit('2', by('x', null, { usd: 100 }))
    judge.admit('3', asked({ usd: 100 }))
    judge.admit('4', asked({ usd: 100 }, { sessionId: 'other', agentId: 'a' }))
    expect(judge.over(by('b', 'a', { usd: 3 }))).toBeNull()
    expect(judge.over(by('b', 'a', { usd: 3.5 }))).toMatchObject({
      cap: 'agent_tree_usd',
      scope: 's a',
      used: 7,
    })
  })
})

describe('a fan-out grows', () => {
  const by = (agentId: string, parentAgentId: string | null = null) => asked({}, { agentId }, { parentAgentId })
  const admit = (judge: Judge, agent: string, parent: string | null = null) => {
    const over = judge.over(by(agent, parent))
    if (over === null) judge.admit(agent, by(agent, parent))
    return over
  }
  let messages = 0
  const begin = (judge: Judge) => judge.over(asked({}, {}, { beginsTurn: true, messages: (messages += 2) }))
  /** Starts this many agents in a separate turn, and returns the requests that were stopped. */
  const turn = (judge: Judge, agents: number) => {
    begin(judge)
    return Array.from({ length: agents }, (_, at) => admit(judge, `${messages} ${at}`)).filter((over) => over !== null)
  }

  test('by each level of agents that agents start', () => {
    const judge = judgeOf({ growing_fan_out: 2 })
    begin(judge)
    expect([admit(judge, 'a'), admit(judge, 'b', 'a'), admit(judge, 'c', 'b'), admit(judge, 'c2', 'b')]).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(admit(judge, 'd', 'c')).toEqual({
      cap: 'growing_fan_out',
      scope: 's',
      limit: 2,
      used: 2,
      guess: 1,
    })
    expect(admit(judge, 'e', 'a')).toBeNull()
  })

  test('by each turn in a row that starts more agents than the one before: the agent that makes it grow is stopped', () => {
    const judge = judgeOf({ growing_fan_out: 2 })
    expect([1, 2, 4].flatMap((agents) => turn(judge, agents))).toEqual([])
    expect(turn(judge, 5)).toMatchObject([{ cap: 'growing_fan_out', used: 2 }])
  })

  test('no more after a turn with as many agents, fewer, or none; a request that is sent again is not such a turn', () => {
    const judge = judgeOf({ growing_fan_out: 2 })
    expect([1, 2, 4, 4, 5, 6, 3, 4, 5, 0, 6, 7, 8].flatMap((agents) => turn(judge, agents))).toEqual([])
    begin(judge)
    judge.over(asked({}, {}, { beginsTurn: true, messages }))
    const stopped = Array.from({ length: 9 }, (_, at) => admit(judge, `last ${at}`)).filter((over) => over !== null)
    expect(stopped).toMatchObject([{ cap: 'growing_fan_out' }])
  })

  test('parents that form a circle end where it closes', () => {
    const judge = judgeOf({ growing_fan_out: 3 })
    expect([admit(judge, 'a', 'b'), admit(judge, 'b', 'a'), admit(judge, 'a', 'a')]).toEqual([null, null, null])
  })
})
