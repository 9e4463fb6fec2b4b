import { expect, test } from 'vitest'
import { foldFailures } from './fold-failures.ts'

type Call = Parameters<typeof foldFailures>[0][number]
const call = (uuid: string, tool_name: string, error: string | null) => ({ uuid, tool_name, error }) as Call

test('the same message of the same tool is one row, the newest, with its number', () => {
  const folded = foldFailures([
    call('4', 'Bash', 'no such topic (7 ms)'),
    call('3', 'Read', 'no such topic'),
    call('2', 'Bash', 'no such topic (12 ms)'),
    call('1', 'Bash', null),
    call('0', 'Bash', null),
  ])
  expect(folded.map(({ uuid, times }) => [uuid, times])).toEqual([
    ['4', 2],
    ['3', 1],
    ['1', 1],
    ['0', 1],
  ])
})
