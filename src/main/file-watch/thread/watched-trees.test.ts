import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WatchedTrees } from './watched-trees.ts'
import { emptyRepository } from './work-tree.ts'

let place = ''
let root = ''
let trees: WatchedTrees
let calls = 0

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'aspy-watch-'))
  root = join(place, 'work')
  mkdirSync(root)
  git('init', '-q')
  trees = new WatchedTrees(emptyRepository(join(place, 'watch.git')))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, env: { PATH: process.env['PATH'], HOME: place } })
const write = (name: string, text: string | Buffer) => writeFileSync(join(root, name), text)
const within = (ms = 20_000) => Date.now() + ms

/** Looks before and after a command. */
function lookAround(work: () => void, { folder = root, until = within() } = {}) {
  const call = `call${(calls += 1)}`
  trees.look({ type: 'look', id: 1, at: 'before', call, folder, until: within() })
  while (trees.readMore());
  work()
  return trees.look({ type: 'look', id: 2, at: 'after', call, folder, until })
}
/** Returns what a command changed, as the file's name, when, and its text or why there is none. */
function changedBy(work: () => void, options?: Parameters<typeof lookAround>[1]) {
  const seen = lookAround(work, options)
  return seen?.files.map(({ path, at, text, why_not }) => [path.slice(seen.root.length + 1), at, text ?? why_not])
}
const shell = (command: string) => () => void execFileSync('bash', ['-c', command], { cwd: root })

test('what a command changes, makes, moves and removes is reported with its text before and after', () => {
  write('a b\n.ts', 'one\n')
  write('ünï.ts', 'two\r\n')
  write('same.ts', 'three')
  expect(changedBy(shell(`echo more >> $'a b\\n.ts'; rm ünï.ts; printf new > new.ts; touch same.ts`))).toEqual([
    ['a b\n.ts', 'before', 'one\n'],
    ['a b\n.ts', 'after', 'one\nmore\n'],
    ['ünï.ts', 'before', 'two\r\n'],
    ['ünï.ts', 'after', 'gone'],
    ['new.ts', 'before', 'gone'],
    ['new.ts', 'after', 'new'],
  ])
  // Its text is known from the look before.
  expect(changedBy(shell('echo >> new.ts'))).toEqual([
    ['new.ts', 'before', 'as_before'],
    ['new.ts', 'after', 'new\n'],
  ])
})

test('a new file that a command wrote again as it was is reported as it was before', () => {
  write('a.ts', 'one\n')
  changedBy(shell('true'))
  write('b.ts', 'two\n')
  expect(changedBy(shell('mv b.ts c.ts; cp c.ts b.ts; rm c.ts'))).toEqual([['b.ts', 'before', 'two\n']])
  expect(changedBy(shell('touch b.ts'))).toEqual([])
})

test('a file that has the bytes of another one, or was that one before the command, is reported with its name', () => {
  const likes = (work: () => void) =>
    lookAround(work)?.files.flatMap(({ path, at, like }) =>
      like === undefined ? [] : [`${basename(path)} ${at} ${basename(like)}`],
    )
  write('a.ts', 'one\n')
  write('same.ts', 'two\n')
  write('twin.ts', 'two\n')
  expect(likes(shell('cp a.ts b.ts; cp same.ts c.ts; touch empty.ts'))).toEqual(['b.ts after a.ts'])
  expect(likes(shell('mv same.ts moved.ts; mv empty.ts nothing.ts'))).toEqual(['moved.ts after same.ts'])
  shell('mv moved.ts again.ts; echo more >> again.ts')()
  expect(likes(shell('true'))).toEqual(['again.ts before moved.ts'])
  expect(likes(shell('true'))).toEqual([])
})

test('a folder of many files that had another name before a command does not hide what that changed', () => {
  mkdirSync(join(root, 'old'))
  for (let n = 0; n < 250; n += 1) write(`old/${n}.ts`, `${n}\n`)
  changedBy(shell('true'))
  shell('mv old new')()
  expect(changedBy(shell('echo more > a.ts'))).toContainEqual(['a.ts', 'after', 'more\n'])
})

test('files that git ignores, secrets, links, pipes, other repositories and binary files are left out', () => {
  write('.gitignore', 'ignored\n')
  write('.git/info/exclude', 'private\n')
  writeFileSync(join(place, 'outside'), 'outside')
  const made = changedBy(() => {
    for (const name of ['ignored', 'private', '.env', '.env.local']) write(name, 'A_SECRET=1')
    symlinkSync(join(place, 'outside'), join(root, 'link'))
    symlinkSync(place, join(root, 'folder'))
    shell('mkfifo pipe; git init -q other; echo x > other/x')()
    write('picture', Buffer.from([0, 1, 255]))
    write('large', 'x'.repeat(300_000))
  })
  expect(made?.filter(([, at]) => at === 'after')).toEqual([
    ['.env', 'after', 'private'],
    ['.env.local', 'after', 'private'],
    ['large', 'after', 'too_large'],
    ['picture', 'after', 'not_text'],
  ])
  expect(changedBy(() => write('.gitignore', 'ignored\nlarge\n'))?.filter(([, at]) => at === 'after')).toEqual([
    ['.gitignore', 'after', 'ignored\nlarge\n'],
    ['large', 'after', 'ignored'],
  ])
})

test('nothing that the configuration, the attributes or the hooks of a repository name is run or read', () => {
  const evil = join(place, 'evil.sh')
  writeFileSync(evil, `#!/bin/sh\ntouch ${join(place, 'was-run')}\ncat\n`)
  chmodSync(evil, 0o755)
  for (const [name, value] of [
    ['core.fsmonitor', evil],
    ['core.hooksPath', place],
    ['filter.x.clean', evil],
    ['filter.x.process', evil],
    ['diff.x.textconv', evil],
    ['core.pager', evil],
    ['core.sshCommand', evil],
    ['extensions.partialClone', 'origin'],
    ['core.worktree', '/'],
  ] as const)
    execFileSync('git', ['config', '--file', join(root, '.git', 'config'), name, value])
  write('.gitattributes', '* filter=x diff=x\n')
  write('.gitmodules', `[submodule "s"]\n\tpath = s\n\turl = ext::${evil}\n`)
  write('a.ts', 'one\n')
  expect(changedBy(() => write('a.ts', 'two\n'))).toEqual([
    ['a.ts', 'before', 'one\n'],
    ['a.ts', 'after', 'two\n'],
  ])
  expect(existsSync(join(place, 'was-run'))).toBe(false)
  // It would have been.
  spawnSync('git', ['--work-tree', root, 'add', 'a.ts'], { cwd: root })
  expect(existsSync(join(place, 'was-run'))).toBe(true)
})

test('a tree that says what else to ignore, that is too large, or takes too long says nothing, in its time', () => {
  const change = () => write('a.ts', String(Math.random()))
  expect(changedBy(change, { until: Date.now() - 1 })).toBeUndefined()
  expect(changedBy(change, { folder: place })).toBeUndefined()
  expect(changedBy(change)).toHaveLength(2)
  git('config', 'core.excludesFile', '/somewhere')
  expect(changedBy(change)).toBeUndefined()
  rmSync(join(root, '.git', 'config'))
  spawnSync('mkfifo', [join(root, '.git', 'config')])
  expect(changedBy(change)).toBeUndefined()
})

test('a change is sure to be a command’s own only if no other was at work', () => {
  const look = (at: 'before' | 'after', call: string) =>
    trees.look({ type: 'look', id: 1, at, call, folder: root, until: within() })
  look('before', 'one')
  expect(look('after', 'one')?.is_sure).toBe(true)
  look('before', 'one')
  look('before', 'two')
  expect([look('after', 'two')?.is_sure, look('after', 'one')?.is_sure]).toEqual([false, false])
  look('before', 'three')
  trees.edited()
  expect(look('after', 'three')?.is_sure).toBe(false)
  expect(look('after', 'three')).toBeNull()
})

test('a tree is named as the client names it, through a link', () => {
  mkdirSync(join(root, 'below'))
  const link = join(place, 'link')
  symlinkSync(root, link)
  const folder = join(link, 'below')
  trees.look({ type: 'look', id: 1, at: 'before', call: 'linked', folder, until: within() })
  write('below/a.ts', 'x')
  const seen = trees.look({ type: 'look', id: 2, at: 'after', call: 'linked', folder, until: within() })
  expect([seen?.root, seen?.files.at(-1)?.path]).toEqual([link, join(link, 'below/a.ts')])
})
