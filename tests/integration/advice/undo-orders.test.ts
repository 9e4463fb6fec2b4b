import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { applyDiff, undoChange } from '../../../src/main/advice/applied-fix.ts'
import type { SettingsFix } from '../../../src/main/advice/candidate.ts'
import type { Decision } from '../../../src/main/advice/decisions.ts'
import { parseLooseJson } from '../../../src/main/base/edit-json.ts'
import { fixFiles } from '../../../src/main/advice/settings-change.ts'
import { few, heavily, isHeavy } from '../../support/runner/heavy.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

/** What each kind of fix sets, and a second rule of the same list. */
const SETS: readonly SettingsFix['set'][] = [
  [{ path: ['env', 'ENABLE_PROMPT_CACHING_1H'], value: '1' }],
  [{ path: ['permissions', 'allow'], value: 'Bash(npm test:*)', add: true }],
  [{ path: ['permissions', 'deny'], value: 'mcp__idle', add: true }],
  [{ path: ['env', 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION'], value: 'false' }],
  [{ path: ['permissions', 'allow'], value: 'Bash(cargo test:*)', add: true }],
]

/** Files of settings as people have them; null: there is none. */
const FILES: Readonly<Record<string, string | null>> = {
  none: null,
  empty: '',
  'one line, no end': '{"model":"opus"}',
  'tabs and both sections':
    '{\r\n\t"env": { "A": "1" },\r\n\t"permissions": { "allow": ["Bash(ls:*)"], "deny": [] }\r\n}\r\n',
  'a byte order mark and a value set before': '\uFEFF{\n    "env": {"ENABLE_PROMPT_CACHING_1H": "0"}, "x": [ ]\n}\n\n',
}

/** All orders of the steps of `count` fixes: each number first applies a fix, then undoes it. */
function orders(count: number): number[][] {
  const found: number[][] = []
  const walk = (order: readonly number[]) => {
    if (order.length === count * 2) return void found.push([...order])
    for (let fix = 0; fix < count; fix += 1) if (order.filter((step) => step === fix).length < 2) walk([...order, fix])
  }
  walk([])
  return found
}

function permutations(values: readonly number[]): number[][] {
  if (values.length <= 1) return [[...values]]
  return values.flatMap((first) =>
    permutations(values.filter((value) => value !== first)).map((rest) => [first, ...rest]),
  )
}

/** Applies and undoes in this order, all in one millisecond; the file must be as before. */
function walk(project: string, original: string | null, order: readonly number[]): void {
  const path = join(project, '.claude', 'settings.local.json')
  rmSync(dirname(path), { recursive: true, force: true })
  if (original !== null) {
    mkdirSync(dirname(path))
    writeFileSync(path, original)
  }
  let decisions: Readonly<Record<string, Decision>> = {}
  const notes: (string | null)[] = []
  const at = '2026-11-28T08:00:00.000Z'
  for (const step of order) {
    const { [`fix-${step}`]: known, ...others } = decisions
    const isUndo = known !== undefined
    const made = { state: 'applied' as const, at, hits: 10, promised: 1 }
    if (isUndo) {
      notes.push(known.file === null ? 'it has no file' : undoChange(known.file, decisions))
      decisions = others
    } else {
      const [change] = fixFiles(project, { file: 'local', set: SETS[step] ?? [] } as unknown as SettingsFix).files
      if (change === undefined) throw new Error('a fix changes the file')
      decisions = { ...others, [`fix-${step}`]: { ...made, file: applyDiff(change.path, change.diff, decisions) } }
    }
  }
  const left = existsSync(path) ? readFileSync(path, 'utf8') : null
  expect([left, ...new Set(notes)], order.join(' ')).toEqual([original, null])
}

test.each(few(Object.entries(FILES), 2))('fixes are applied and undone in any order: %s', (_, original) => {
  const project = temporaryFolder()
  for (const order of few(orders(isHeavy ? 4 : 3), 8)) walk(project, original, order)
})

/** What people do to a file between a change of ours and its undo. */
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  'a comment': (text) => text.replace('{', '{ // mine\n'),
  'a comma at the end': (text) => text.replace(/\}\s*$/, ',}'),
  'other line ends': (text) => text.replaceAll(/\r?\n/g, '\r\n'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'another form': (text) => JSON.stringify(JSON.parse(text)),
}

test.each(Object.entries(EDITS))('after an edit, each undo takes back its own values alone: %s', (_, edit) => {
  const project = temporaryFolder()
  const path = join(project, '.claude', 'settings.local.json')
  mkdirSync(dirname(path))
  const original = { env: { ENABLE_PROMPT_CACHING_1H: '0' }, permissions: { deny: ['mcp__mine'] } }
  writeFileSync(path, JSON.stringify(original, null, 2))
  let decisions: Readonly<Record<string, Decision>> = {}
  for (const [at, set] of SETS.entries()) {
    const [change] = fixFiles(project, { set } as unknown as SettingsFix).files
    const file = applyDiff(change?.path ?? '', change?.diff ?? '', decisions)
    const made = { state: 'applied' as const, at: `2026-11-28T08:00:0${at}.000Z`, hits: 10, promised: 1, file }
    decisions = { ...decisions, [`fix-${at}`]: made }
  }
  writeFileSync(path, edit(readFileSync(path, 'utf8')))
  for (const at of [2, 0, 4, 1, 3]) {
    const { [`fix-${at}`]: decision, ...others } = decisions
    if (decision?.file != null) undoChange(decision.file, decisions)
    decisions = others
  }
  expect(parseLooseJson(readFileSync(path, 'utf8'))).toEqual(original)
})

test('a file that is not UTF-8 is not changed, since its bytes would not come back', () => {
  const project = temporaryFolder()
  const path = join(project, '.claude', 'settings.local.json')
  mkdirSync(dirname(path))
  writeFileSync(path, Buffer.from([...Buffer.from('{"a": "'), 0xe9, ...Buffer.from('"}')]))
  const { files, note } = fixFiles(project, { set: SETS[0] } as unknown as SettingsFix)
  expect([files, note]).toEqual([[], expect.stringContaining('cannot be changed: it is not UTF-8')])
})

test('a file behind a link is changed where it is, and the link stays', () => {
  const project = temporaryFolder()
  const [real, path] = [join(project, 'real.json'), join(project, '.claude', 'settings.local.json')]
  mkdirSync(dirname(path))
  writeFileSync(real, '{\r\n  "model": "opus"\r\n}')
  symlinkSync(real, path)
  const [change] = fixFiles(project, { set: SETS[0] } as unknown as SettingsFix).files
  const file = applyDiff(change?.path ?? '', change?.diff ?? '', {})
  expect(JSON.parse(readFileSync(real, 'utf8'))).toHaveProperty('env')
  const made = { state: 'applied' as const, at: '2026-11-28T08:00:00.000Z', hits: 10, promised: 1, file }
  expect(undoChange(file, { made })).toBe(null)
  expect([readFileSync(real, 'utf8'), lstatSync(path).isSymbolicLink()]).toEqual(['{\r\n  "model": "opus"\r\n}', true])
})

test('what is not JSON any more is left alone, and the error says what to do', () => {
  const path = join(temporaryFolder(), 'settings.local.json')
  const file = { path, original: null, set: [...(SETS[0] ?? [])] }
  writeFileSync(path, '{ "env": ')
  expect(() => undoChange(file, {})).toThrow(
    /settings\.local\.json is not valid JSON .*; correct it and run this again/,
  )
  expect(readFileSync(path, 'utf8')).toBe('{ "env": ')
})

heavily(test)('all fixes are applied in any order, and undone in another', () => {
  const project = temporaryFolder()
  const all = permutations(SETS.map((__, at) => at))
  const original = FILES['tabs and both sections'] ?? null
  for (const [at, order] of few(all, 8).entries()) {
    const undone = isHeavy ? all : [all[(at * 37 + 11) % all.length] ?? order]
    for (const other of undone) walk(project, original, [...order, ...other])
  }
})
