import { expect, test } from 'vitest'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { costSentence, largestBlock, largestCause, largestTool, wastefulSession } from './cost-sentence.ts'

test('a cost is compared with the median of the others, if three of them are known', () => {
  const said = (spent: number, others: readonly number[]) => costSentence('Yesterday', spent, others, 'on a Saturday')
  expect(said(5.9, [2.8, 3.1, 0, 40])).toBe('Yesterday cost $5.90, twice your usual $3.10 on a Saturday.')
  expect(said(9, [2, 4, 1, 3])).toBe('Yesterday cost $9.00, 4 times your usual $2.50 on a Saturday.')
  expect(said(3, [2.9, 3.2, 3])).toBe('Yesterday cost $3.00, about your usual $3.00 on a Saturday.')
  expect(said(1, [4, 4, 4])).toBe('Yesterday cost $1.00, far less than your usual $4.00 on a Saturday.')
  expect(said(5.9, [3, 0, 3])).toBe('Yesterday cost $5.90.')
  expect(said(0, [3, 3, 3])).toBeNull()
})

type Sum = OperationOutput<'cache.summary'>['by_cause'][number]
const summary = (...sums: readonly Sum[]) => sums
const sum = (cause: Sum['cause'], waste_usd: number, requests: number): Sum => ({
  cause,
  waste_usd,
  requests,
  missed_tokens: 1000,
})

test('the largest cause is named with its money; what nobody could avoid, or is small, is not', () => {
  const mixed = summary(sum('tools_changed', 0.4, 2), sum('ttl_expired', 2.4, 3), sum('first_request', 9, 40))
  expect(largestCause(5.9, mixed)).toEqual({
    cause: 'ttl_expired',
    usd: 2.4,
    happened: 'the cache expired during a pause',
    text: '$2.40 of it: the cache expired during a pause, 3 times.',
  })
  const [only, most] = [true, false].map((isOnly) => largestCause(5.9, mixed, { title: 'CSV export', isOnly })?.text)
  expect(only).toMatch(/ pause, 3 times in “CSV export”\.$/)
  expect(most).toMatch(/ pause, 3 times, most of it in “CSV export”\.$/)
  expect(largestCause(5.9, summary(sum('ttl_expired', 2, 2)))?.text).toMatch(/, twice\.$/)
  expect(largestCause(5.9, summary(sum('model_changed', 1, 1)))?.text).toBe('$1.00 of it: the model was changed, once.')
  expect(largestCause(5.9, summary(sum('ttl_expired', 0.5, 1)))).toBeNull()
  expect(largestCause(0.05, summary(sum('ttl_expired', 0.009, 1)))).toBeNull()
  expect(largestCause(5.9, summary(sum('unknown', 4, 9)))).toBeNull()
  expect(largestCause(5.9, summary())).toBeNull()
})

test('a cause belongs to a session only if more than half of its cost does', () => {
  const miss = (session_id: string, waste_usd: number | null) => ({ session_id, waste_usd })
  expect(wastefulSession([miss('a', 1), miss('a', 2)])).toEqual({ id: 'a', isOnly: true })
  expect(wastefulSession([miss('a', 1), miss('b', 3), miss('c', null)])).toEqual({ id: 'b', isOnly: false })
  expect(wastefulSession([miss('a', 1), miss('b', 1)])).toBeNull()
  expect(wastefulSession([miss('a', null)])).toBeNull()
  expect(wastefulSession([])).toBeNull()
})

test('the block that cost most while it was carried is named, if a person can change it and it is worth a sentence', () => {
  const block = (kind: string, usd: number, more: object = {}) => ({
    kind,
    usd,
    tool: null,
    name: null,
    requests: 7,
    turn_id: 5,
    entered: { exchange: 'e', ts_wall: '2026-11-28T10:00:00Z', position: 3 },
    ...more,
  })
  const said = (spent: number, ...blocks: readonly ReturnType<typeof block>[]) => largestBlock(spent, blocks)?.text
  const output = block('tool_result', 0.31, { tool: 'Bash' })
  expect(said(1.31, block('system_prompt', 0.9), block('prompt', 0.14), output)).toBe(
    '$0.31 of it: an output of Bash of turn 5, sent in 7 requests.',
  )
  expect(said(1, block('file_read', 0.5, { name: 'src/a/report.ts', tool: 'Read', requests: 1 }))).toBe(
    '$0.50 of it: a file read (report.ts) of turn 5, sent in one request.',
  )
  expect(said(1, block('tool_result', 0.5))).toMatch(/: a tool output of turn 5/)
  expect(said(5, output)).toBeUndefined()
  expect(said(0.01, block('prompt', 0.009))).toBeUndefined()
  expect(said(1, block('a_newer_kind', 0.9), block('tool_schema', 0.9))).toBeUndefined()
  expect(said(1)).toBeUndefined()
})

test('the tool whose calls and outputs cost most is named, not what belongs to no tool', () => {
  const groups = [
    { key: null, usd: 5 },
    { key: 'Read', usd: 1 },
    { key: 'Bash', usd: 2 },
  ]
  expect(largestTool(9, groups)?.text).toBe('$2.00 of it: calls and outputs of Bash, carried from request to request.')
  expect(largestTool(30, groups)).toBeNull()
  expect(largestTool(9, groups.slice(0, 1))).toBeNull()
})
