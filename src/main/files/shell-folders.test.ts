import { expect, test } from 'vitest'
import { withFolders, type SessionCall } from './shell-folders.ts'

const bash = (command: string, more: Partial<SessionCall> = {}): SessionCall => ({
  toolName: 'Bash',
  input: { command },
  output: '',
  detail: undefined,
  isSuccess: true,
  isRejected: false,
  folder: '/w',
  session_id: 's',
  turn_id: 1,
  agent_id: null,
  source: 'wire',
  ...more,
})
const foldersOf = (...calls: readonly SessionCall[]) => withFolders(calls).map(({ folder }) => folder)

test('a cd holds for the later commands of a turn, as in the real client, and beyond it nobody knows', () => {
  expect(foldersOf(bash('mkdir -p src && cd src'), bash('ls'), bash('ls', { turn_id: 2 }))).toEqual([
    '/w',
    '/w/src',
    null,
  ])
})

test.each([
  ['failed', bash('cd src && false', { isSuccess: false }), '/w'],
  ['was taken back by the client', bash('cd /tmp', { output: 'Shell cwd was reset to /w' }), '/w'],
  ['was in a pipe', bash('cd src | cat'), null],
  ['was computed', bash('cd "$X"'), null],
  ['was in a loop', bash('for d in a b; do cd $d; done'), null],
  ['was refused', bash('cd src', { isRejected: true }), '/w'],
  ['was in another session', bash('cd src', { session_id: 't' }), '/w'],
  ["was an agent's", bash('cd src', { agent_id: 'a' }), '/w'],
  ['is of a transcript, which says the folder of each call', bash('cd src', { source: 'transcript' }), '/w'],
])('of a cd that %s, the folder of the next command follows', (_, call, folder) => {
  expect(foldersOf(call, bash('ls'))[1]).toBe(folder)
})

test('a folder that the record names again, or an agent begins in, is not that of the shell', () => {
  const moved = bash('cd src')
  expect(foldersOf(moved, bash('ls', { folder: '/v' }), bash('ls', { folder: '/v' }))).toEqual(['/w', '/v', '/v'])
  expect(foldersOf(moved, bash('ls', { agent_id: 'a' }))).toEqual(['/w', null])
})
