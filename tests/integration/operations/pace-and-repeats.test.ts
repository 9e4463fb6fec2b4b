import { expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { readStore } from '../../support/store/read-store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString()

test('slowest by kind counts all timed events, with mean, p95 and max, within a session or a time', () => {
  const result = (n: number, ms: number | null, session_id = 's1') =>
    draftOf(
      'tool_result',
      { call_id: `c${n}`, tool_name: 'Bash', output: 'x', is_error: false, rejected: false },
      { at: at(n), session_id, keys: [`result:c${n}`], duration_ms: ms },
    )
  using store = readStore([
    // 1 to 100 ms in an order of their own; the nearest-rank p95 is 95.
    ...Array.from({ length: 100 }, (_, n) => result(n, ((n * 37) % 100) + 1)),
    result(200, null),
    result(201, 5000, 's2'),
    draftOf('notification', { text: 'slow' }, { at: at(202), duration_ms: 9000 }),
  ])
  const groups = (input: object) =>
    store.call<OperationOutput<'stats.slowest'>>('stats.slowest', { by: 'kind', ...input }).groups
  expect(groups({ session_id: 's1' })).toEqual([
    { kind: 'notification', count: 1, mean_ms: 9000, p95_ms: 9000, max_ms: 9000 },
    { kind: 'tool_result', count: 100, mean_ms: 50.5, p95_ms: 95, max_ms: 100 },
  ])
  expect(groups({})?.find(({ kind }) => kind === 'tool_result')).toEqual({
    kind: 'tool_result',
    count: 101,
    mean_ms: (5050 + 5000) / 101,
    p95_ms: 96,
    max_ms: 5000,
  })
  expect(groups({ since: at(202) })?.map(({ kind }) => kind)).toEqual(['notification'])
  // The limit bounds the list of the slowest, not the groups.
  expect(groups({ limit: 1 })).toHaveLength(2)
  expect(store.call<OperationOutput<'stats.slowest'>>('stats.slowest', { by: 'tool' }).groups).toBeUndefined()
})

test('how often a prompt was asked is counted by its whole text over all that is stored', () => {
  const beginning = 'Run all the tests of the parser and tell me which of them fail, and why. '.repeat(20)
  const prompt = (n: number, text: string, session_id: string) =>
    draftOf('user_prompt', { text }, { at: at(n), uuid: `p${n}`, session_id })
  using store = readStore([
    prompt(0, `${beginning}First.`, 'long'),
    prompt(1, `${beginning}Second.`, 'long'),
    prompt(2, 'Go on.', 'near'),
    prompt(3, 'Go on', 'near'),
    prompt(4, 'Go on. Then stop.', 'near'),
    prompt(5, 'go on.', 'near'),
    prompt(6, '  Go on.\n', 'near'),
    ...Array.from({ length: 600 }, (_, n) => prompt(10 + n, 'Ship it!', `many-${n % 7}`)),
  ])
  const asked = (input: object) =>
    new Map(
      store
        .call<OperationOutput<'prompts.search'>>('prompts.search', input)
        .items.map(({ uuid, asked: times }) => [uuid, times]),
    )
  // More than any page has, in other sessions too.
  expect([...asked({ limit: 3 }).values()]).toEqual([600, 600, 600])
  expect(asked({ query: 'ship it', limit: 1, session_id: 'many-3' }).values().next().value).toBe(600)
  expect(Object.fromEntries(asked({ session_id: 'near' }))).toEqual({ p2: 2, p3: 1, p4: 1, p5: 1, p6: 2 })
  expect(Object.fromEntries(asked({ session_id: 'long' }))).toEqual({ p0: 1, p1: 1 })
})
