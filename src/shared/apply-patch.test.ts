import { expect, test } from 'vitest'
import { diffOfPatch } from './apply-patch.ts'

test('a patch becomes a diff: added, changed, moved and deleted files', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: a.ts',
    '*** Move to: b.ts',
    '@@ class A',
    '@@ def f():',
    ' kept',
    '-old',
    '+new',
    '@@',
    '+end',
    '*** Add File: c.ts',
    '+made',
    '*** Delete File: d.ts',
    '*** End Patch',
  ].join('\n')
  const hunk = (...lines: readonly string[]) => ({ oldStart: null, newStart: null, lines })
  const first = {
    filePath: 'b.ts',
    change: 'update',
    structuredPatch: [{ ...hunk(' kept', '-old', '+new'), under: ['class A', 'def f():'] }, hunk('+end')],
  }
  expect(diffOfPatch(patch)).toEqual({
    ...first,
    files: [
      first,
      { filePath: 'c.ts', change: 'add', structuredPatch: [hunk('+made')] },
      { filePath: 'd.ts', change: 'delete', structuredPatch: [] },
    ],
  })
})

test('a text that is not a patch is not a diff', () => {
  for (const text of ['', 'hello', '*** Begin Patch', '*** Add File: x', '+*** Begin Patch'])
    expect(diffOfPatch(text)).toBeNull()
})
