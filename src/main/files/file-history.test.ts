import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import { fileHistory, type CallEvent } from './file-history.ts'
import type { FileState } from './file-state.ts'

const FILE = '/w/a.ts'
const NOTEBOOK = '/w/n.ipynb'
let calls = 0

const call = (toolName: string, input: Json, output = '', more: Partial<CallEvent> = {}): CallEvent => ({
  uuid: `e${++calls}`,
  toolName,
  input,
  output,
  detail: undefined,
  isSuccess: true,
  isRejected: false,
  folder: '/w',
  ...more,
})
const write = (content: string, path = FILE) => call('Write', { file_path: path, content })
const edit = (before: string, after: string, more: object = {}, of: Partial<CallEvent> = {}) =>
  call('Edit', { file_path: FILE, old_string: before, new_string: after, ...more }, '', of)
const numbered = (text: string, from = 1) =>
  text
    .split('\n')
    .map((line, at) => `${from + at}\t${line}`)
    .join('\n')
const read = (text: string, more: { offset?: number; limit?: number } = {}) =>
  call('Read', { file_path: FILE, ...more }, numbered(text, more.offset))
const bash = (command: string, output = '', more: Partial<CallEvent> = {}) => call('Bash', { command }, output, more)
const patch = (...lines: string[]) =>
  call('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

function lastOf(of: readonly CallEvent[], path = FILE): FileState | undefined {
  return [...fileHistory(of, path)].findLast((step) => step.path === path)?.state
}
const textOf = (state: FileState | undefined) => state?.lines.map(({ text }) => text ?? '?').join('\n')

const SITUATIONS: {
  readonly [what: string]: readonly [calls: readonly CallEvent[], text: string | undefined, how: object]
} = {
  'written whole': [[write('a\nb\n')], 'a\nb\n', { kind: 'known', isWhole: true }],
  'edited twice': [[write('a\nb\nc\n'), edit('b', 'B\nBB'), edit('a\nB', 'A')], 'A\nBB\nc\n', { doubtedSince: null }],
  'every occurrence': [[write('x x\nx\n'), edit('x', 'y', { replace_all: true })], 'y y\ny\n', { doubtedSince: null }],
  'an edit that the known text contradicts': [
    [write('a\n'), edit('b', 'c')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'an edit that failed': [[write('a\n'), { ...edit('a', 'c'), isSuccess: false }], 'a\n', { doubtedSince: null }],
  'an edit that a person refused': [
    [write('a\n'), { ...edit('a', 'c'), isRejected: true }],
    'a\n',
    { doubtedSince: null },
  ],
  'an edit without a known end': [
    [write('a\n'), { ...edit('a', 'c'), isSuccess: null }],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'several edits at once': [
    [
      write('a\nb\n'),
      call('MultiEdit', {
        file_path: FILE,
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'b\nb', new_string: 'c' },
        ],
      }),
    ],
    'c\n',
    { doubtedSince: null },
  ],
  'a cell of a notebook': [
    [write('{}', NOTEBOOK), call('NotebookEdit', { notebook_path: FILE, new_source: 'x' })],
    '',
    { kind: 'unknown' },
  ],
  'read whole': [[read('a\nb\n')], 'a\nb\n', { kind: 'known', isWhole: true }],
  'read in part': [[read('c\nd', { offset: 3, limit: 2 })], '?\n?\nc\nd', { kind: 'known', isWhole: false }],
  'parts that complete each other': [
    [read('c\nd', { offset: 3, limit: 2 }), read('a\nb', { offset: 1, limit: 2 })],
    'a\nb\nc\nd',
    { isWhole: false },
  ],
  'an edit between known lines': [[read('c\nd', { offset: 3, limit: 2 }), edit('d', 'D\nE')], '?\n?\nc\nD\nE', {}],
  'a patch of Codex': [
    [
      patch('*** Add File: a.ts', '+a', '+b', '+c'),
      patch('*** Update File: a.ts', '@@', ' a', '-b', '+B'),
      patch('*** Update File: a.ts', '@@', '-c', '+C'),
    ],
    'a\nB\nC\n',
    { kind: 'known', isWhole: true, doubtedSince: null },
  ],
  'a here-document': [[bash("cat > a.ts <<'EOF'\na\n$b\nEOF")], 'a\n$b\n', { kind: 'known', isWhole: true }],
  'a here-document that the shell completes': [
    [write('a\n'), bash('cat > a.ts <<EOF\n$b\nEOF')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'lines added by a shell': [[write('a\n'), bash("echo 'b c' >> a.ts")], 'a\nb c\n', { doubtedSince: null }],
  'sed in place, word for word': [
    [write('a.a\nc\n'), bash("sed -i 's/a\\.a/b&/; ' a.ts; sed -i 's/a\\.a/b/' a.ts")],
    'b\nc\n',
    { doubtedSince: expect.any(String), lines: [{ origin: 'derived' }, { origin: 'proven' }, {}] },
  ],
  'a here-document with tabs before its end': [
    [bash('cat > a.ts <<-EOF\n\t\ta\n\tb\n\tEOF')],
    'a\nb\n',
    { kind: 'known' },
  ],
  'two here-documents, one added': [
    [bash("cat > a.ts <<'A'\na\nA\ncat >> a.ts <<'B'\nb\nB")],
    'a\nb\n',
    { isWhole: true, doubtedSince: null },
  ],
  'what tee writes': [[bash("echo 'a b' | tee a.ts")], 'a b\n', { kind: 'known', doubtedSince: null }],
  'what tee adds': [[write('a\n'), bash('echo b | tee -a a.ts > /dev/null')], 'a\nb\n', { doubtedSince: null }],
  'what tee writes of a program that nobody knows': [
    [write('a\n'), bash('sort b.ts | tee a.ts')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'lines that printf is given': [[bash("printf '%s\\n' a 'b c' > a.ts")], 'a\nb c\n', { isWhole: true }],
  touched: [[write('a\n'), bash('touch a.ts b.ts')], 'a\n', { doubtedSince: null }],
  'copied by cat': [[write('a\n', '/w/b.ts'), bash('cat b.ts > a.ts')], 'a\n', { kind: 'known', isWhole: true }],
  'moved with others': [[write('a\n', '/v/a.ts'), bash('mv /v/a.ts /v/b.ts .')], 'a\n', { kind: 'known' }],
  'in a folder that was moved to a name': [
    [write('a\n', '/old/a.ts'), bash('mv /old /w')],
    'a\n',
    { kind: 'known', doubtedSince: expect.any(String) },
  ],
  'a file of another folder of that name': [
    [write('a\n'), write('b\n', '/v/a.ts'), bash('mv /v /w')],
    'a\n',
    { kind: 'known', doubtedSince: null },
  ],
  'a formatter that is given another file': [
    [write('a\n'), bash('npx prettier --write b.ts')],
    'a\n',
    { doubtedSince: null },
  ],
  'a formatter that is given it': [
    [write('a\n'), bash('npx prettier --write a.ts')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'a command for another file that failed': [
    [write('a\n'), bash('rm b.ts', '', { isSuccess: false })],
    'a\n',
    { doubtedSince: null },
  ],
  'a command in a folder that may not be there': [
    [write('a\n'), bash('cd x; rm b.ts', 'cd: x: No such file or directory')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'a patch of Codex that moves it': [
    [patch('*** Add File: b.ts', '+a', '+b'), patch('*** Update File: b.ts', '*** Move to: a.ts', '@@', '-b', '+B')],
    'a\nB\n',
    { kind: 'known', isWhole: true, doubtedSince: null },
  ],
  'sed in place with an expression': [
    [write('a\n'), bash("sed -i 's/a*/b/' a.ts")],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'a command that only reads': [
    [write('a\n'), bash('cd /w && grep -n a a.ts | head -3')],
    'a\n',
    { doubtedSince: null },
  ],
  'any other command': [[write('a\n'), bash('npm run format')], 'a\n', { doubtedSince: expect.any(String) }],
  'a read after any other command': [
    [write('a\nb\n'), bash('npm run format'), read('a\nB\n')],
    'a\nB\n',
    { doubtedSince: null },
  ],
  'git checkout of the file': [
    [write('a\n'), bash('git checkout -- a.ts')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'git checkout of another file': [[write('a\n'), bash('git checkout -- b.ts')], 'a\n', { doubtedSince: null }],
  'git stash': [[write('a\n'), bash('git stash')], 'a\n', { doubtedSince: expect.any(String) }],
  removed: [[write('a\n'), bash('rm -f a.ts')], 'a\n', { kind: 'absent' }],
  'removed with its folder': [[write('a\n'), bash('rm -rf /w')], 'a\n', { kind: 'absent' }],
  'removed by git': [[write('a\n'), bash('git rm -q a.ts')], 'a\n', { kind: 'absent' }],
  'moved here': [[write('a\n', '/w/old.ts'), bash('mv old.ts a.ts')], 'a\n', { kind: 'known', isWhole: true }],
  'moved here with its folder': [[write('a\n', '/v/a.ts'), bash('mv /v/a.ts /w/')], 'a\n', { kind: 'known' }],
  'moved here by a pattern': [
    [write('a\n', '/w/src/a.ts'), bash('mkdir lib && mv src/*.ts lib/; rmdir src'), bash('mv lib/a.ts .')],
    'a\n',
    { kind: 'known', doubtedSince: null },
  ],
  'moved by a pattern, to a folder or a name': [
    [write('a\n', '/v/a.ts'), bash('mv /v/*.ts /w')],
    'a\n',
    { kind: 'known', doubtedSince: expect.any(String) },
  ],
  'moved by a pattern that leaves it': [
    [write('a\n', '/v/a.ts'), bash('mv /v/*.js /v/.*.ts /v/b*.ts /w/')],
    '',
    { kind: 'unknown' },
  ],
  'where a pattern may have brought another': [[write('a\n'), bash('cp /v/*.ts .')], '', { kind: 'unknown' }],
  'where a pattern leaves it': [[write('a\n'), bash('mv /v/*.js .')], 'a\n', { doubtedSince: null }],
  'removed by a pattern, perhaps': [[write('a\n'), bash('rm *.ts')], 'a\n', { doubtedSince: expect.any(String) }],
  'removed elsewhere by a pattern': [[write('a\n'), bash('rm /v/*.ts')], 'a\n', { doubtedSince: null }],
  'moved away': [[write('a\n'), bash('git mv a.ts b.ts')], 'a\n', { kind: 'absent' }],
  copied: [[write('a\n', '/w/b.ts'), bash('cp b.ts a.ts')], 'a\n', { kind: 'known' }],
  'a secret that was removed': [[write('a\nkey = [redacted:api-key:12ab]\n')], 'a\n?\n', { isWhole: true }],
  'a call that is not stored': [[write('a\n'), call('Write', null)], 'a\n', { doubtedSince: expect.any(String) }],
  'shown by git diff': [
    [
      write('const first\nb\nc\n'),
      bash('npm run format'),
      bash(
        'git diff',
        'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@ x\n const first\n-b\n+B\n+BB',
      ),
    ],
    // What followed may have moved, or gone.
    'const first\nB\nBB\nb\nc\n',
    { kind: 'known', isWhole: false, doubtedSince: expect.any(String) },
  ],
  'of a diff whose changed lines look like the name of a file, nothing of that file': [
    [
      bash(
        'git diff',
        'diff --git a/b.md b/b.md\n--- a/b.md\n+++ b/b.md\n@@ -1 +1 @@\n--- a/a.ts\n+++ b/a.ts\n@@ -9 +9 @@\n-x\n+y',
      ),
    ],
    '',
    { kind: 'unknown' },
  ],
  'of a diff cut off in a hunk, nothing': [
    [bash('git diff HEAD -- a.ts', 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n a\n+B')],
    '',
    { kind: 'unknown' },
  ],
  'of a diff between revisions, nothing': [
    [bash('git diff main..dev', 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+B')],
    '',
    { kind: 'unknown' },
  ],
  'of a diff of what is staged, nothing': [
    [bash('git diff --staged', 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+B')],
    '',
    { kind: 'unknown' },
  ],
  'shown by cat': [[bash('cat a.ts', 'a\nb')], 'a\nb', { kind: 'known', isWhole: false }],
  'several edits with a secret among them': [
    [
      write('a\nb\nc\n'),
      call('MultiEdit', {
        file_path: FILE,
        edits: [
          { old_string: 'a', new_string: 'key = [redacted:api-key:12ab]' },
          { old_string: 'b\nc', new_string: 'B\nC' },
        ],
      }),
    ],
    '?\nB\nC\n',
    { isWhole: true, doubtedSince: null },
  ],
  'an edit that takes a line away': [[write('a\nb\nc\n'), edit('b', '')], 'a\nc\n', { doubtedSince: null }],
  'an edit that a person changed': [
    [write('a\n'), edit('a', 'b', {}, { detail: { oldString: 'a', newString: 'c', userModified: true } })],
    'c\n',
    { lines: [{ text: 'c', origin: 'unknown' }, { text: '' }] },
  ],
  'an edit of lines that nobody knows, which the client shows': [
    [
      edit(
        'x',
        'y',
        {},
        {
          detail: { filePath: FILE, structuredPatch: [{ oldStart: 2, newStart: 2, lines: [' w', '-x', '+y'] }] },
        },
      ),
    ],
    '?\nw\ny',
    { lines: [{ text: null }, { text: 'w', origin: 'seen' }, { text: 'y', origin: 'proven' }] },
  ],
  'a read with something said below it': [
    [call('Read', { file_path: FILE }, '1\ta\n2')],
    'a\n',
    { kind: 'known', isWhole: true },
  ],
  'lines that end as on Windows': [[write('a\r\nb\r\n'), edit('b', 'c')], 'a\nc\n', { ending: 'crlf' }],
  'read, which does not say how lines end': [[read('a\nb\n')], 'a\nb\n', { ending: null }],
  'a move that may have failed': [
    [write('a\n'), bash('mv b.ts a.ts || true')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'a move that failed unnoticed': [
    [write('a\n'), bash('mv b.ts a.ts; ls', "a.ts\nmv: cannot stat 'b.ts': No such file")],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'removed only if something else succeeds': [
    [write('a\n'), bash('grep -q x b.ts && rm a.ts; ls')],
    'a\n',
    { kind: 'known', doubtedSince: expect.any(String) },
  ],
  'two commands compared by a substitution, which may do anything': [
    [write('a\n'), bash('diff <(sort a.ts) <(rm b.ts)')],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'written in the background': [
    [write('a\n'), call('Bash', { command: 'sleep 9; echo b > a.ts', run_in_background: true })],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
  'an output of which the client keeps only a part': [
    [bash('cat a.ts', '<persisted-output>\nOutput too large\n</persisted-output>')],
    '',
    { kind: 'unknown' },
  ],
  'a tool of somebody else': [
    [write('a\n'), call('mcp__fs__write_file', { path: FILE, content: 'b' })],
    'a\n',
    { doubtedSince: expect.any(String) },
  ],
}

test.each(Object.entries(SITUATIONS))('%s', (_, [of, text, how]) => {
  const state = lastOf(of)
  expect(textOf(state) ?? '').toBe(text)
  expect(state ?? { kind: 'unknown' }).toMatchObject(how)
})

test('each line of a notebook is from the call that wrote it, whatever spaces the client writes around cells', () => {
  const cell = (id: string, source: string) => ({ cell_type: 'code', id, metadata: {}, outputs: [], source })
  const notebook = (...cells: readonly object[]) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })
  const [one, two] = [cell('one', 'load_orders()'), cell('two', 'plot_orders()')]
  const [next, third] = [cell('two', 'plot_orders(by="day")'), cell('three', 'print(total)\nprint(mean)')]
  const states = [notebook(one, two), notebook(one, next), notebook(one, next, third), notebook(next, third)]
  let before = JSON.stringify(states[0], null, 2)
  const made = [write(before, NOTEBOOK)]
  for (const [at, mode] of ['replace', 'insert', 'delete'].entries()) {
    const [original_file, updated_file] = [before, JSON.stringify(states[at + 1], null, 1)]
    const input = { notebook_path: NOTEBOOK, new_source: 'x', edit_mode: mode }
    made.push(call('NotebookEdit', input, '', { detail: { original_file, updated_file } }))
    before = updated_file
  }
  const state = lastOf(made, NOTEBOOK)
  expect([textOf(state), state?.doubtedSince, state?.isWhole]).toEqual([before, null, true])
  const calledBy = (part: string) =>
    made.findIndex(({ uuid }) => uuid === state?.lines.find(({ text }) => text?.includes(part))?.event)
  expect(['"id": "two"', 'by=', '"id": "three"', 'print(mean)', '"nbformat_minor"'].map(calledBy)).toEqual([
    0, 1, 2, 2, 0,
  ])
  const isWrong = state?.lines.filter(({ event }) => event === made[3]?.uuid)
  expect(isWrong).toEqual([])
})

test('of equal lines of a file that is not known, nobody knows which one an edit added', () => {
  const lines = ['   return first', ' }', '+}', '+const second = 2']
  const detail = { filePath: FILE, structuredPatch: [{ oldStart: 7, newStart: 7, lines }] }
  const state = lastOf([edit('}', '}\n}\nconst second = 2', {}, { detail })])
  expect(state?.lines.slice(6).map(({ text, origin }) => [text, origin])).toEqual([
    ['  return first', 'seen'],
    ['}', 'seen'],
    ['}', 'unknown'],
    ['const second = 2', 'proven'],
  ])
})

test('a drive of Windows is one, in whatever case a client writes it', () => {
  const edited = call('Edit', { file_path: 'C:/w/a.ts', old_string: 'a', new_string: 'b' })
  expect(textOf(lastOf([write('a\n', 'c:\\w\\a.ts'), edited], 'C:/w/a.ts'))).toBe('b\n')
})

test('a file that is longer than what is compared line by line keeps where its lines come from', () => {
  const lines = Array.from({ length: 3000 }, (_, at) => `const line${at} = first(${at})`)
  const first = write(lines.join('\n'))
  const second = write(['const top = 1', ...lines, 'const end = 2'].join('\n'))
  const events = lastOf([first, second])?.lines.map(({ event }) => event)
  expect([events?.[0], events?.[1], events?.[3000], events?.[3001]]).toEqual([
    second.uuid,
    first.uuid,
    first.uuid,
    second.uuid,
  ])
})

test('a line comes from the call that wrote it, and what was there before from the one that showed it', () => {
  const shown = read('const alpha\nbeta\ngamma\n')
  const changed = edit('beta', 'const second')
  const formatted = bash('npm run format')
  const state = lastOf([
    shown,
    changed,
    write('const alpha\nconst second\ndelta\n'),
    formatted,
    read('const alpha\nconst second\nDelta\n'),
  ])
  expect(state?.lines.map(({ text, origin, event }) => [text, origin, event])).toEqual([
    ['const alpha', 'seen', shown.uuid],
    ['const second', 'proven', changed.uuid],
    ['Delta', 'unknown', expect.any(String)],
    ['', 'unknown', null],
  ])
})

const TEXT = fc.array(fc.constantFrom('a', 'b', '', '  c', 'd d'), { maxLength: 8 }).map((lines) => lines.join('\n'))
const ACTION = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), text: TEXT }),
  fc.record({ kind: fc.constant('edit' as const), from: fc.nat(30), size: fc.integer({ min: 1, max: 9 }), text: TEXT }),
  fc.record({ kind: fc.constant('read' as const), from: fc.nat(8), size: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('append' as const), text: fc.constantFrom('x', 'y z') }),
  // What nobody recorded: a command, or a person.
  fc.record({ kind: fc.constant('command' as const), text: TEXT }),
)

/** Plays an action on the real text; returns the call, and the text after it. */
function played(action: typeof ACTION extends fc.Arbitrary<infer A> ? A : never, text: string): [CallEvent[], string] {
  switch (action.kind) {
    case 'write':
      return [[write(action.text)], action.text]
    case 'edit': {
      const before = text.slice(action.from, action.from + action.size)
      if (before === '' || text.split(before).length !== 2 || text.indexOf(before) !== text.lastIndexOf(before))
        return [[], text]
      return [[edit(before, action.text)], text.replace(before, () => action.text)]
    }
    case 'read': {
      const lines = text.split('\n').slice(action.from, action.from + action.size)
      return [lines.length === 0 ? [] : [read(lines.join('\n'), { offset: action.from + 1, limit: action.size })], text]
    }
    case 'append':
      return [[bash(`echo '${action.text}' >> a.ts`)], `${text}${action.text}\n`]
    case 'command':
      return [[bash('make')], action.text]
  }
}

test('whatever happens, no known line is wrong while nothing unrecorded may have changed it', () => {
  fc.assert(
    fc.property(fc.array(ACTION, { maxLength: 12 }), (actions) => {
      let text = 'a\nb\n'
      const done: CallEvent[] = []
      for (const action of actions) {
        const [made, after] = played(action, text)
        done.push(...made)
        text = after
      }
      const state = lastOf(done)
      const isSure = state !== undefined && state.kind === 'known' && state.doubtedSince === null
      const real = text.split('\n')
      const wrong = isSure ? state.lines.filter((line, at) => line.text !== null && line.text !== real[at]) : []
      const isLonger = isSure && state.isWhole && state.lines.length !== real.length
      expect([wrong, isLonger]).toEqual([[], false])
    }),
    { numRuns: 300 },
  )
})

test('a file of 20,000 lines is followed through 2,000 edits', () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at};`)
  const edits = Array.from({ length: 2000 }, (_, at) => edit(`line ${at * 7};`, `line ${at * 7}, again;`))
  let state: FileState | undefined
  for (const step of fileHistory([write(lines.join('\n')), ...edits], FILE)) ({ state } = step)
  expect(state?.lines.filter(({ text }) => text?.includes('again'))).toHaveLength(2000)
})
