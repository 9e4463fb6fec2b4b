import { expect, test } from 'vitest'
import type { CallEvent } from './file-history.ts'
import { FILE, NOTEBOOK, call, write, edit, read, bash, patch, lastOf, textOf } from './fixtures/recorded-calls.ts'

const DOUBTED = { doubtedSince: expect.any(String) as unknown }

const HEAD = 'const alpha = first\nconst beta = second\n'
const created = (content: string) => ({
  ...call('Write', { file_path: FILE, content }, '', { detail: { type: 'create', filePath: FILE, content } }),
  uuid: 'made again',
})
const updated = (content: string, lines: readonly string[]) =>
  call('Write', { file_path: FILE, content }, '', {
    detail: { type: 'update', filePath: FILE, content, structuredPatch: [{ oldStart: 1, newStart: 1, lines }] },
  })

const SITUATIONS: {
  readonly [what: string]: readonly [calls: readonly CallEvent[], text: string | undefined, how: object]
} = {
  'written whole': [[write('a\nb\n')], 'a\nb\n', { kind: 'known', isWhole: true }],
  'edited twice': [[write('a\nb\nc\n'), edit('b', 'B\nBB'), edit('a\nB', 'A')], 'A\nBB\nc\n', { doubtedSince: null }],
  'every occurrence': [[write('x x\nx\n'), edit('x', 'y', { replace_all: true })], 'y y\ny\n', { doubtedSince: null }],
  'an edit that the known text contradicts': [[write('a\n'), edit('b', 'c')], 'a\n', DOUBTED],
  'an edit that failed': [[write('a\n'), { ...edit('a', 'c'), isSuccess: false }], 'a\n', { doubtedSince: null }],
  'an edit that a person refused': [
    [write('a\n'), { ...edit('a', 'c'), isRejected: true }],
    'a\n',
    { doubtedSince: null },
  ],
  'an edit without a known end': [[write('a\n'), { ...edit('a', 'c'), isSuccess: null }], 'a\n', DOUBTED],
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
  'a here-document that the shell completes': [[write('a\n'), bash('cat > a.ts <<EOF\n$b\nEOF')], 'a\n', DOUBTED],
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
  'what tee writes of a program that nobody knows': [[write('a\n'), bash('sort b.ts | tee a.ts')], 'a\n', DOUBTED],
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
  'a formatter that is given it': [[write('a\n'), bash('npx prettier --write a.ts')], 'a\n', DOUBTED],
  'a command for another file that failed': [
    [write('a\n'), bash('rm b.ts', '', { isSuccess: false })],
    'a\n',
    { doubtedSince: null },
  ],
  'a command in a folder that may not be there': [
    [write('a\n'), bash('cd x; rm b.ts', 'cd: x: No such file or directory')],
    'a\n',
    DOUBTED,
  ],
  'a patch of Codex that moves it': [
    [patch('*** Add File: b.ts', '+a', '+b'), patch('*** Update File: b.ts', '*** Move to: a.ts', '@@', '-b', '+B')],
    'a\nB\n',
    { kind: 'known', isWhole: true, doubtedSince: null },
  ],
  'sed in place with an expression': [[write('a\n'), bash("sed -i 's/a*/b/' a.ts")], 'a\n', DOUBTED],
  'a command that only reads': [
    [write('a\n'), bash('cd /w && grep -n a a.ts | head -3')],
    'a\n',
    { doubtedSince: null },
  ],
  'any other command': [[write('a\n'), bash('npm run format')], 'a\n', DOUBTED],
  'a read after any other command': [
    [write('a\nb\n'), bash('npm run format'), read('a\nB\n')],
    'a\nB\n',
    { doubtedSince: null },
  ],
  'git checkout of the file': [[write('a\n'), bash('git checkout -- a.ts')], 'a\n', DOUBTED],
  'git checkout of another file': [[write('a\n'), bash('git checkout -- b.ts')], 'a\n', { doubtedSince: null }],
  'git stash': [[write('a\n'), bash('git stash')], 'a\n', DOUBTED],
  removed: [[write('a\n'), bash('rm -f a.ts')], 'a\n', { kind: 'absent' }],
  'removed with its folder': [[write('a\n'), bash('rm -rf /w')], 'a\n', { kind: 'absent' }],
  'removed by git': [[write('a\n'), bash('git rm -q a.ts')], 'a\n', { kind: 'absent' }],
  'kept beside and brought back': [
    [write('a\n'), bash('cp a.ts .a.ts.bak'), bash('python x.py'), bash('mv .a.ts.bak a.ts')],
    'a\n',
    { kind: 'known', isWhole: true },
  ],
  'overwritten by one that nobody knows': [
    [write('a\n'), bash('mv other.ts a.ts'), read('b\n')],
    'b\n',
    { lines: [expect.objectContaining({ origin: 'unknown' }), expect.anything()] },
  ],
  'made of itself under another name': [
    [write(HEAD), bash('grep -v x a.ts > .t && mv .t a.ts'), read(`${HEAD}c\n`)],
    `${HEAD}c\n`,
    { doubtedSince: null, lines: [{ origin: 'proven' }, { origin: 'proven' }, { origin: 'unknown' }, {}] },
  ],
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
  'removed by a pattern, perhaps': [[write('a\n'), bash('rm *.ts')], 'a\n', DOUBTED],
  'removed elsewhere by a pattern': [[write('a\n'), bash('rm /v/*.ts')], 'a\n', { doubtedSince: null }],
  'moved away': [[write('a\n'), bash('git mv a.ts b.ts')], 'a\n', { kind: 'absent' }],
  copied: [[write('a\n', '/w/b.ts'), bash('cp b.ts a.ts')], 'a\n', { kind: 'known' }],
  'a secret that was removed': [[write('a\nkey = [redacted:api-key:12ab]\n')], 'a\n?\n', { isWhole: true }],
  'a call that is not stored': [[write('a\n'), call('Write', null)], 'a\n', DOUBTED],
  'shown by git diff': [
    [
      write('const first = one()\nb\nc\n'),
      bash('npm run format'),
      bash(
        'git diff',
        'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@ x\n const first = one()\n-b\n+B\n+BB',
      ),
    ],
    // What followed may have moved, or gone.
    'const first = one()\nB\nBB\nb\nc\n',
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
  'shown by an edit of what may be another file under a new name': [
    [
      write('const alpha = first\nx\n', '/w/b.ts.orig'),
      bash('mv b.ts.orig a.ts'),
      edit(
        'x',
        'y',
        {},
        {
          detail: {
            filePath: FILE,
            structuredPatch: [{ oldStart: 1, newStart: 1, lines: [' const alpha = first', '-x', '+y'] }],
          },
        },
      ),
    ],
    'const alpha = first\ny',
    { lines: [{ origin: 'unknown' }, { text: 'y', origin: 'proven' }] },
  ],
  'a read with something said below it': [
    [call('Read', { file_path: FILE }, '1\ta\n2')],
    'a\n',
    { kind: 'known', isWhole: true },
  ],
  'lines that end as on Windows': [[write('a\r\nb\r\n'), edit('b', 'c')], 'a\nc\n', { ending: 'crlf' }],
  'read, which does not say how lines end': [[read('a\nb\n')], 'a\nb\n', { ending: null }],
  'removed by a command that nobody reads, and made again': [
    [write('const a = first\nb\n'), bash('make clean'), created('const a = first\nb\n')],
    'const a = first\nb\n',
    { lines: [{ event: 'made again' }, {}, {}] },
  ],
  'written over lines that nobody knew, which the client says were there': [
    [updated('a\nconst b = second\nc\n', [' a', '+const b = second', ' c'])],
    'a\nconst b = second\nc\n',
    { lines: [{ origin: 'seen' }, { origin: 'proven' }, { origin: 'seen' }, {}] },
  ],
  'written by a call, though a line like it was there before a person removed it': [
    [read('a\nconst b = second\n'), updated('a\nconst b = second\n', [' a', '+const b = second'])],
    'a\nconst b = second\n',
    { lines: [{ origin: 'seen' }, { origin: 'proven' }, {}] },
  ],
  'written over lines that a command may have written': [
    [write('x\n'), bash('make'), updated('a\nconst b = second\n', [' a', '+const b = second'])],
    'a\nconst b = second\n',
    { lines: [{ origin: 'unknown' }, { origin: 'proven' }, {}] },
  ],
  'a text that a command brought back': [
    [
      write('const a = first\nconst b\n'),
      bash('make'),
      write('new\n'),
      bash('git stash'),
      read('const a = first\nconst b\n'),
    ],
    'const a = first\nconst b\n',
    { doubtedSince: null, lines: [{ origin: 'proven' }, { origin: 'proven' }, {}] },
  ],
  'lines that a command brought back, and one of a person': [
    [write(`${HEAD}c\n`), bash('git commit -am x'), write('c\n'), bash('git stash'), read(`${HEAD}mine\nc\n`)],
    `${HEAD}mine\nc\n`,
    { lines: [{ origin: 'proven' }, { origin: 'proven' }, { origin: 'unknown' }, {}, {}] },
  ],
  'an edit of what a command brought back': [
    [
      write(`${HEAD}c\n`),
      bash('git commit -am x'),
      write('new\n'),
      bash('git revert HEAD'),
      edit('const beta = second', 'B'),
    ],
    'const alpha = first\nB\nc\n',
    { doubtedSince: expect.any(String), lines: [{ origin: 'proven' }, { origin: 'proven' }, { origin: 'proven' }, {}] },
  ],
  'lines that a person brought back, or wrote again': [
    [write(`${HEAD}c\n`), read('c\n'), read(`${HEAD}mine\nc\n`)],
    `${HEAD}mine\nc\n`,
    { lines: [{ origin: 'unknown' }, { origin: 'unknown' }, { origin: 'seen' }, {}, {}] },
  ],
  'the same text, shown again': [
    [write(`${HEAD}}\n}\n`), bash('make'), read(`${HEAD}}\n}\n`)],
    `${HEAD}}\n}\n`,
    { doubtedSince: null, lines: [{}, {}, { origin: 'proven' }, { origin: 'proven' }, { origin: 'proven' }] },
  ],
  'a sign that may be one that was there earlier': [
    [write('const a = first\n}\n'), read('const a = first\n'), read('const a = first\n}\n')],
    'const a = first\n}\n',
    { lines: [{ origin: 'proven' }, { origin: 'unknown' }, {}] },
  ],
  'a sign that a person wrote in the place of one behind a line that stays': [
    [write('const alpha = first()\n}\nconst beta = second()\n'), read('const alpha = first()\n}\nconst mine = 1\n')],
    'const alpha = first()\n}\nconst mine = 1\n',
    { lines: [{ origin: 'proven' }, { origin: 'unknown' }, { origin: 'seen' }, {}] },
  ],
  'signs between lines that stay': [
    [
      write('const alpha = first()\n}\n\nconst beta = second()\n'),
      read('//\nconst alpha = first()\n}\n\nconst beta = second()\n'),
    ],
    '//\nconst alpha = first()\n}\n\nconst beta = second()\n',
    {
      lines: [
        { origin: 'seen' },
        { origin: 'proven' },
        { origin: 'proven' },
        { origin: 'proven' },
        { origin: 'proven' },
        {},
      ],
    },
  ],
  'shown again above where it was': [
    [
      write('const alpha = first()\nconst beta = second()\nconst gamma = third()\n'),
      bash('npm run sort'),
      read('const gamma = third()\nconst alpha = first()', { offset: 1, limit: 2 }),
    ],
    'const gamma = third()\nconst alpha = first()\nconst beta = second()\n',
    { isWhole: false },
  ],
  'named behind the end of the flags': [[write('a\n', '/w/-b.ts'), bash('mv -- -b.ts a.ts')], 'a\n', { kind: 'known' }],
  'removed behind the end of the flags': [[write('a\n'), bash('rm -f -- a.ts')], 'a\n', { kind: 'absent' }],
  'moved by a name in other letters': [
    [write('a\n', '/w/A.TS'), bash('mv A.TS A.TS.tmp && mv A.TS.tmp a.ts')],
    'a\n',
    { kind: 'known', doubtedSince: null },
  ],
  'a command of zsh that failed unnoticed': [
    [write('a\n'), bash('echo b >> a.ts; ls', '(eval):1: is a directory: a.ts')],
    'a\n',
    DOUBTED,
  ],
  'a command of Codex that failed unnoticed': [
    [
      write('a\n'),
      call('exec_command', { cmd: 'rm a.ts; ls' }, 'Exit code: 0\nOutput:\nrm: a.ts: Operation not permitted'),
    ],
    'a\n',
    DOUBTED,
  ],
  'what a command of Codex shows, which has words around it': [
    [call('exec_command', { cmd: 'cat a.ts' }, 'Exit code: 0\nOutput:\na')],
    '',
    { kind: 'unknown' },
  ],
  'a patch of Codex in another folder': [
    [
      write('a\n'),
      call('shell', {
        command: ['apply_patch', '*** Begin Patch\n*** Add File: a.ts\n+b\n*** End Patch'],
        workdir: '/w/src',
      }),
    ],
    'a\n',
    { doubtedSince: null },
  ],
  'read with signs that the client could not read': [[read('a\nb\uFFFD\n')], 'a\n?\n', { isWhole: true }],
  'a move that may have failed': [[write('a\n'), bash('mv b.ts a.ts || true')], 'a\n', DOUBTED],
  'a move that failed unnoticed': [
    [write('a\n'), bash('mv b.ts a.ts; ls', "a.ts\nmv: cannot stat 'b.ts': No such file")],
    'a\n',
    DOUBTED,
  ],
  'removed only if something else succeeds': [
    [write('a\n'), bash('grep -q x b.ts && rm a.ts; ls')],
    'a\n',
    { kind: 'known', doubtedSince: expect.any(String) },
  ],
  'two commands compared by a substitution, which may do anything': [
    [write('a\n'), bash('diff <(sort a.ts) <(rm b.ts)')],
    'a\n',
    DOUBTED,
  ],
  'written in the background': [
    [write('a\n'), call('Bash', { command: 'sleep 9; echo b > a.ts', run_in_background: true })],
    'a\n',
    DOUBTED,
  ],
  'an output of which the client keeps only a part': [
    [bash('cat a.ts', '<persisted-output>\nOutput too large\n</persisted-output>')],
    '',
    { kind: 'unknown' },
  ],
  'a tool of somebody else': [
    [write('a\n'), call('mcp__fs__write_file', { path: FILE, content: 'b' })],
    'a\n',
    DOUBTED,
  ],
  'a tool of Aspy': [
    [
      write('a\n'),
      call('mcp__plugin_aspy_aspy__aspy_why_line', { path: FILE, line: 1 }),
      call('mcp__aspy__aspy_recall_context', null),
    ],
    'a\n',
    { doubtedSince: null },
  ],
  'a tool of somebody else that says to read': [
    [write('a\n'), call('mcp__x__get_design', { out: '/w' })],
    'a\n',
    DOUBTED,
  ],
}

test.each(Object.entries(SITUATIONS))('%s', (_, [of, text, how]) => {
  const state = lastOf(of)
  expect(textOf(state) ?? '').toBe(text)
  expect(state ?? { kind: 'unknown' }).toMatchObject(how)
})
