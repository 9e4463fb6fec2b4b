import { expect, test } from 'vitest'
import type { FileSeen } from '../../shared/seen-file.ts'
import type { CallEvent } from './file-history.ts'
import { bash, edit, FILE, lastOf, read, textOf, write } from './fixtures/recorded-calls.ts'

/** A command around which the disk was looked at: null where the file is not there, undefined where it was not told. */
function watched(
  command: string,
  texts: { readonly [path: string]: readonly [before: string | null | undefined, after: string | null | undefined] },
  more: Partial<FileSeen> = {},
): CallEvent {
  const seen = Object.entries(texts).flatMap(([path, [before, after]]) =>
    (
      [
        ['before', before],
        ['after', after],
      ] as const
    ).flatMap(([at, text]): FileSeen[] =>
      text === undefined
        ? []
        : [
            {
              call_id: 'c',
              path,
              at,
              hash: text,
              text,
              why_not: text === null ? 'gone' : null,
              is_sure: true,
              ...(path === FILE ? {} : { like: FILE }),
              ...more,
            },
          ],
    ),
  )
  const rest = {
    call_id: 'c',
    path: '/w',
    at: 'after',
    hash: null,
    text: null,
    why_not: 'no_other',
    is_sure: true,
  } as const
  return bash(command, '', { seen: [...seen, rest] })
}

const originsOf = (calls: readonly CallEvent[], path = FILE) => {
  const { lines = [] } = lastOf(calls, path) ?? {}
  const name = (event: string | null) => calls.findIndex(({ uuid }) => uuid === event)
  return lines.map(({ text, origin, event }) => `${text}:${origin}:${name(event)}`).join(' ')
}
const FIRST = 'the first line\nthe second line\n'

test('lines that a command wrote are derived from it, whatever its text says', () => {
  const calls = [
    write(FIRST),
    watched('python fix.py', { [FILE]: [FIRST, 'the first line\nmore of lines\nthe second line\n'] }),
  ]
  expect(originsOf(calls)).toBe('the first line:proven:0 more of lines:derived:1 the second line:proven:0 :proven:0')
  expect(lastOf(calls)).toMatchObject({ kind: 'known', isWhole: true, doubtedSince: null })
  const made = [watched('python make.py', { [FILE]: [null, 'a\n'] })]
  expect(originsOf(made)).toBe('a:derived:0 :derived:0')
  const gone = [write(FIRST), watched('python clean.py', { [FILE]: [FIRST, null] })]
  expect(lastOf(gone)?.kind).toBe('absent')
})

test('what a person wrote before a command is not the command’s', () => {
  const calls = [
    write(FIRST),
    watched('python fix.py', { [FILE]: [`a person's line\n${FIRST}`, `a person's line\nits line\n${FIRST}`] }),
  ]
  expect(originsOf(calls)).toContain("a person's line:seen:1 its line:derived:1 the first line:proven:0")
})

test('what a command brings from elsewhere, or may not have done alone, is unknown', () => {
  const change = { [FILE]: [FIRST, `${FIRST}new line\n`] } as const
  for (const command of [
    'git stash pop',
    'git pull',
    'patch -p1 < x',
    'cp /tmp/a a.ts && sed -i s/a/b/ a.ts',
    'curl x > a.ts',
    'cat other.ts > a.ts',
  ])
    expect(originsOf([write(FIRST), watched(command, change)])).toContain('new line:unknown:1')
  expect(originsOf([write(FIRST), watched('make', change, { is_sure: false })])).toContain('new line:unknown:1')
  expect(originsOf([write(FIRST), watched('make', { [FILE]: [undefined, `${FIRST}new line\n`] })])).toContain(
    'new line:unknown:1',
  )
  expect(originsOf([write(FIRST), watched('make && git add -A && git commit -m x', change)])).toContain(
    'new line:derived:1',
  )
})

test('lines of a patch that a command itself has are derived from it, unless it may bring others', () => {
  const change = { [FILE]: [FIRST, `${FIRST}new line\n`] } as const
  const originOf = (command: string, hunk = '@@ -2,0 +3 @@') =>
    /new line:(\w+)/.exec(originsOf([write(FIRST), watched(`${command}\n${hunk}\n+new line\nEOF`, change)]))?.[1]
  expect(["patch -s -p1 <<'EOF'", "git apply <<'EOF'"].map((each) => originOf(each))).toEqual(['derived', 'derived'])
  expect(["patch -R -p1 <<'EOF'", "git stash pop; git apply <<'EOF'"].map((each) => originOf(each))).toEqual([
    'unknown',
    'unknown',
  ])
  expect(originOf("git apply ../theirs.diff; cat >> NOTES.md <<'EOF'", 'Done:')).toBe('unknown')
})

test('a command of many empty lines is read in time', () => {
  const lines = '\n'.repeat(30_000)
  const began = performance.now()
  for (const command of [`make > a.log${lines}true`, `ed a.ts <<'EOF'\n${'1\n'.repeat(30_000)}EOF`])
    originsOf([write(FIRST), watched(command, { [FILE]: [FIRST, FIRST] })])
  expect(performance.now() - began).toBeLessThan(500)
})

test('a text that comes back has the origins that it had', () => {
  const second = 'the first line\nan edited line\n'
  const calls = [
    write(FIRST),
    watched('ls', {}),
    edit('the second line', 'an edited line'),
    watched('git stash', { [FILE]: [second, FIRST] }),
    watched('git stash pop', { [FILE]: [FIRST, second] }),
  ]
  expect(originsOf(calls)).toBe('the first line:proven:0 an edited line:proven:2 :proven:0')
  const byHash = watched('x', { [FILE]: [FIRST, FIRST] }).seen?.map((each) => ({ ...each, text: null }))
  expect(originsOf([...calls, bash('git checkout .', '', { seen: byHash ?? [] })])).toContain('the second line:')
})

test('a line that was known of a file is not somebody else’s before a command', () => {
  const calls = [
    write(`${FIRST}and the third line\n`),
    watched('ls', {}),
    edit('and the third line\n', ''),
    watched('ls', { [FILE]: [`${FIRST}and the third line\nby a person\n`, undefined] }),
  ]
  expect(originsOf(calls)).toContain('and the third line:unknown:3 by a person:seen:3')
  // A later look only says that it is as it was then.
  const same = watched('make', { [FILE]: [`${FIRST}and the third line\nby a person\n`, undefined] }).seen ?? []
  const asBefore = bash('make', '', { seen: same.map((each) => ({ ...each, text: null })) })
  expect(originsOf([...calls, bash('make'), asBefore])).toContain('and the third line:unknown:3 by a person:seen:3')
})

test('a line that says little, and that may have moved, is not somebody else’s', () => {
  const [head, tail] = ['const alpha = first\n', 'const gamma = third\n']
  const calls = [
    write(`${head}${FIRST}const beta = second\n${tail}`),
    watched('ls', { [FILE]: [`${head}${tail}\n${FIRST}const beta = second`, undefined] }),
  ]
  expect(originsOf(calls)).toMatch(/ :unknown:\S+ the first/)
})

test('a formatter that keeps the lines in their places keeps their origins', () => {
  const calls = [
    write('const a = 1\n}\nconst b = 2\n}\n'),
    watched('npx biome', { [FILE]: ['const a = 1\n}\nconst b = 2\n}\n', 'const a = 1;\n}\n  const b = 2\n}\n'] }),
  ]
  expect(originsOf(calls)).toBe('const a = 1;:proven:0 }:proven:0   const b = 2:proven:0 }:proven:0 :proven:0')
})

test('a line that comes back from before a formatter, or an edit like one, is not theirs', () => {
  const [first, later] = ['const alpha = first\n', 'const alpha = first;\nmore\n']
  const back = 'another line\nconst alpha = first\n'
  const formatted = [
    watched('python format.py', { [FILE]: [`${first}more\n`, later] }),
    watched('git restore a.ts', { [FILE]: [later, back] }),
  ]
  expect(originsOf(formatted)).toContain('const alpha = first:seen:0')
  const edited = [
    read(`${first}more\n`),
    bash('make'),
    edit('first', 'first;'),
    bash('git restore a.ts'),
    read(`another line\n${first}`),
  ]
  expect(originsOf(edited)).toContain('const alpha = first:seen:0')
})

test('a file that a command renamed or copied, or somebody else before it, keeps its lines', () => {
  const kept = 'the first line:proven:0 the second line:proven:0 :proven:0'
  const other = '/w/b.ts'
  const renamed = [write(FIRST), watched('python rename.py', { [FILE]: [FIRST, null], [other]: [null, FIRST] })]
  expect(originsOf(renamed, other)).toBe(kept)
  expect(lastOf(renamed)?.kind).toBe('absent')
  const copied = [write(FIRST), watched('rsync -a a.ts b.ts', { [other]: [null, FIRST] })]
  expect(originsOf(copied, other)).toBe(kept)
  expect(lastOf([...copied, read(FIRST)])).toMatchObject({ kind: 'known', doubtedSince: null })
  const said = watched(`cat > b.ts <<'EOF'\n${FIRST}EOF`, { [other]: [null, FIRST] })
  expect(originsOf([write(FIRST), said], other)).toContain('the first line:derived:1')
  const earlier = watched('ls', { [FILE]: [null, undefined], [other]: [FIRST, undefined] })
  expect(originsOf([write(FIRST), earlier], other)).toBe(kept)
  const rewritten = write(`${FIRST}of the second call\n`, other)
  const now = watched('ls', { [FILE]: [null, undefined], [other]: [`${FIRST}of the second call\n`, undefined] })
  expect(originsOf([write(FIRST), rewritten, now], other)).toContain('of the second call:proven:1')
})

test('what a command wrote to another file first, and then put into its place, is its own', () => {
  const change = { [FILE]: [FIRST, `a new first line\n${FIRST}`] } as const
  const calls = [write(FIRST), bash('make'), watched(`awk '{print}' a.ts > t.ts && mv t.ts a.ts`, change)]
  expect(originsOf(calls)).toBe('a new first line:derived:2 the first line:proven:0 the second line:proven:0 :proven:0')
  expect(originsOf([write(FIRST), watched('awk 1 a.ts > t.ts && mv u.ts a.ts', change)])).toContain('line:unknown')
})

test('a command that changed nothing leaves no doubt of a file that was looked at before, and only of that', () => {
  const before = watched('make', { [FILE]: [FIRST, `${FIRST}x\n`] })
  expect(lastOf([write(FIRST), before, watched('python other.py', {})])?.doubtedSince).toBeNull()
  expect(lastOf([write(FIRST), before, watched(`rm ${FILE} || true`, {})])).toMatchObject({
    kind: 'known',
    doubtedSince: null,
  })
  expect(lastOf([write(FIRST), watched('python other.py', {})])?.doubtedSince).toEqual(expect.any(String))
  expect(lastOf([write(FIRST), before, bash('python other.py')])?.doubtedSince).toEqual(expect.any(String))
  const ignored = watched('make', { [FILE]: [undefined, FIRST] }, { text: null, hash: null, why_not: 'ignored' })
  expect(lastOf([write(FIRST), before, ignored, watched('make', {})])?.doubtedSince).toEqual(expect.any(String))
})

test('a secret that was removed is a hole, and a text that is not stored a doubt', () => {
  const hidden = watched('make', { [FILE]: [FIRST, `${FIRST}key = [redacted:x:1]\n`] })
  expect(textOf(lastOf([write(FIRST), hidden]))).toBe('the first line\nthe second line\n?\n')
  const large = watched('make', { [FILE]: [FIRST, 'x'] }, { text: null, why_not: 'too_large' })
  expect(lastOf([write(FIRST), large, read(`${FIRST}y\n`)])).toMatchObject({ kind: 'known' })
  expect(originsOf([write(FIRST), large, read(`${FIRST}another line\n`)])).toContain('another line:unknown:2')
})

test('of a line that an edit may have made since an earlier state came back, nobody knows who wrote it', () => {
  const [one, other] = ['const alpha = token(1)', 'const alpha = tokens(1)']
  const before = [write(`${one}\nthe second line\n`), edit(one, other), write('another text\n'), bash('git checkout .')]
  const last = edit(`${other}\n`, `${other}\nthe line between\n`)
  expect(originsOf([...before, last])).toContain(`${other}:proven:1`)
  for (const since of [edit('token', 'tokens', { replace_all: true }), edit('token(1)', 'tokens(1)')])
    expect(originsOf([...before, since, last])).toContain(`${other}:unknown:1 the line between:proven:5`)
})

test('a line that an edit took away and another wrote again is by that one, also in a text that was seen before', () => {
  const calls = [
    write(FIRST),
    watched('make', { [FILE]: [FIRST, FIRST] }),
    edit('the second line\n', ''),
    edit('the first line', 'the first line\nthe second line'),
    watched('make', { [FILE]: [FIRST, FIRST] }, { text: null }),
  ]
  expect(originsOf(calls)).toContain('the second line:proven:3')
})

test('an equal line that a command added far from another change is not taken for the earlier one', () => {
  const [head, tail] = ['const alpha = first\n', 'const gamma = third\n']
  const key = `key = "[redacted:anthropic_key:1]"\n`
  const calls = [
    write(`${key}${head}\n${tail}`),
    watched('sed -i 3i …', { [FILE]: [`${key}${head}\n${tail}`, `${key}${head}\nconst beta = second\n\n${tail}`] }),
  ]
  expect(originsOf(calls)).toContain('first:proven:0 :unknown:-1 const beta = second:derived:1 :unknown:-1 const gamma')
})

test('of equal lines of one author, those that stay are by that one where a person only took away or added some', () => {
  const [head, tail] = ['const alpha = first\n', 'const gamma = third']
  const seen = (before: string, after: string) =>
    originsOf([write(`${head}${before}${tail}`), watched('ls', { [FILE]: [`${head}${after}${tail}`, undefined] })])
  expect(seen('}\n\n}\n', '}\n')).toContain('first:proven:0 }:proven:0 const gamma')
  // Those that a person copied below are nobody's that is known.
  expect(seen('a\n}\n', 'a\n}\na\n}\n')).toContain('a:proven:0 }:proven:0 a:unknown:-1 }:unknown:-1 const gamma')
  // In the place of others, it may be one that the person wrote.
  expect(seen('}\nconst beta = second\n', '}\nconst mine = fourth\n}\n')).toContain('first:proven:0 }:unknown:-1')
})

test('a command leaves no doubt of a file that was looked at for the first time before it', () => {
  const calls = [write(FIRST), watched('git clean -fdq', { [FILE]: [FIRST, undefined] })]
  expect(lastOf(calls)).toMatchObject({ kind: 'known', doubtedSince: null })
})
