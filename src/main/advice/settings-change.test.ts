import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appliedFix, fixFiles, sidesOf } from './settings-change.ts'

const FIX = { title: '', steps: [], set: [{ path: ['env', 'A'], value: '1' }] } as const
const AFTER = '{\n  "env": {\n    "A": "1"\n  }\n}\n'
const ADDED = '+{\n+  "env": {\n+    "A": "1"\n+  }\n+}'

test.for([
  ['no file', '', `@@ -0,0 +1,5 @@\n${ADDED}`],
  ['an empty line', '\n', `@@ -1,1 +1,6 @@\n \n${ADDED}`, `\n${AFTER}`],
  ['no last break', '{\n}', `@@ -1,2 +1,5 @@\n ${ADDED.slice(1, -2)} }\n\\ No newline at end of file`, AFTER.trimEnd()],
] as const)(
  'the change of %s is a diff that git applies, its sides are read from it, and it is the same once it is applied',
  ([, before, hunk, after = AFTER]) => {
    const folder = mkdtempSync(join(tmpdir(), 'aspy-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, '.claude'))
    if (before !== '') writeFileSync(join(folder, '.claude/settings.local.json'), before)
    const path = join(folder, '.claude/settings.local.json')
    const { files } = fixFiles(folder, FIX)
    const diff = files[0]?.diff ?? ''
    expect(diff.split('\n').slice(2).join('\n')).toBe(hunk)
    expect(sidesOf(diff)).toEqual({ before, after })
    writeFileSync(path, after)
    const made = { path, original: before === '' ? null : before, set: [...FIX.set] }
    expect(appliedFix({ ...FIX, steps: [] }, made).files).toEqual(files)
  },
)
