import { expect, test } from 'vitest'
import type { CallEvent } from './file-history.ts'
import { bash, call, edit, FILE, read, write } from './fixtures/recorded-calls.ts'
import { sessionChange, textOf, type SessionChange } from './session-change.ts'

const created = (content: string) =>
  call('Write', { file_path: FILE, content }, `File created successfully at: ${FILE}`)

/** The two sessions' calls in their order, what each left of the file, and the file after both patches; null: none. */
const TURNS: {
  readonly [what: string]: readonly [
    calls: readonly (readonly ['first' | 'second', CallEvent])[],
    first: string | null,
    second: string | null,
  ]
} = {
  'write it whole': [
    [
      ['first', created('alpha\n')],
      ['second', write('beta\n')],
    ],
    'alpha\n',
    'beta\n',
  ],
  'write and edit it': [
    [
      ['first', created('alpha\nbeta\n')],
      ['second', read('alpha\nbeta\n')],
      ['second', edit('beta', 'gamma')],
      ['first', read('alpha\ngamma\n')],
    ],
    'alpha\nbeta\n',
    'alpha\ngamma\n',
  ],
  'write it, and the second deletes it': [
    [
      ['first', created('alpha\n')],
      ['second', bash(`rm ${FILE}`)],
    ],
    'alpha\n',
    null,
  ],
  'write it, and the second moves it': [
    [
      ['first', created('alpha\n')],
      ['second', bash(`mv ${FILE} /w/b.ts`)],
    ],
    'alpha\n',
    null,
  ],
}

const changeOf = (calls: readonly CallEvent[], own: readonly CallEvent[], path = FILE) =>
  sessionChange(
    calls,
    path,
    (one) => own.includes(one),
    () => true,
  )
const textsOf = (change: SessionChange | null) => (change === null ? [] : [textOf(change.before), textOf(change.after)])

test.each(Object.entries(TURNS))('of two sessions that %s, each has its own state', (_, [turns, first, second]) => {
  const calls = turns.map(([, one]) => one)
  const of = (session: string) => turns.flatMap(([by, one]) => (by === session ? one : []))
  expect(textsOf(changeOf(calls, of('first')))).toEqual([null, first])
  // So that both patches can be applied, one after the other.
  expect(textsOf(changeOf(calls, of('second')))).toEqual([first, second])
})

test('what a person changed after the last change of a session is not the session’s, what it edited then is', () => {
  const [first, seen] = [created('alpha\n'), read('alpha\nperson\n')]
  expect(textsOf(changeOf([first, seen], [first, seen]))).toEqual([null, 'alpha\n'])
  const last = edit('alpha', 'gamma')
  expect(textsOf(changeOf([first, seen, last], [first, seen, last]))).toEqual([null, 'gamma\nperson\n'])
})

test('what a session read of a file that it changed completes its state, and its own command brings doubt', () => {
  const [changed, seen, script] = [edit('alpha', 'gamma'), read('gamma\nrest\n'), bash('node make.js')]
  expect(changeOf([changed, seen], [changed, seen])?.after.isWhole).toBe(true)
  const [made, other] = [created('alpha\n'), write('beta\n')]
  expect(changeOf([made, script], [made])?.after.doubtedSince).toBe(null)
  const change = changeOf([made, other, script], [made, script])
  expect([...textsOf(change), change?.after.doubtedSince]).toEqual([null, 'alpha\n', script.uuid])
})

test('a session that only moved the file has what was there', () => {
  const [made, moved] = [created('alpha\n'), bash(`mv ${FILE} /w/b.ts`)]
  expect(textsOf(changeOf([made, moved], [moved], '/w/b.ts'))).toEqual([null, 'alpha\n'])
})
