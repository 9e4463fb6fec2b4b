import { expect, test } from 'vitest'
import type { AdviceSession } from '../store/read/advice-sessions.ts'
import { Found } from './advise.ts'

const session = (project: string) =>
  ({
    project,
    client: 'claude-code',
    spent_usd: 1,
    calls: [],
    servers: [],
    called: new Set(['mcp__busy__one']),
    failed: [],
    asked: [],
    outputs: [],
    agents: [],
  }) as unknown as AdviceSession

test('a place is looked at again only if one of its sessions changed', () => {
  const [one, other] = [session('/work/one'), session('/work/other')]
  const found = new Found()
  const before = found.of([one, other], {})
  const after = found.of([one, { ...other, spent_usd: 2 }], {})
  const isKept = after.map((candidate) => before.includes(candidate))
  expect(after.map(({ place }) => place.project === '/work/one')).toEqual(isKept)
  expect(new Set(isKept)).toEqual(new Set([true, false]))
})
