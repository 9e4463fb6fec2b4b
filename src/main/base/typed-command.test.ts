import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { shellQuoted } from './shell-quoted.ts'
import { asTyped, typedCommand, withTyped } from './typed-command.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-typed-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An installation in a folder of this name, whose `aspy` prints its arguments. */
function installation(name: string): string {
  const root = join(folder, name)
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(join(root, 'bin', 'aspy'), '#!/bin/sh\necho "aspy got $*"\n')
  chmodSync(join(root, 'bin', 'aspy'), 0o755)
  return root
}

/** A folder for the PATH with a link to an installation's command, as npm makes it. */
function linkedFrom(name: string, root: string): string {
  const bin = join(folder, name)
  mkdirSync(bin, { recursive: true })
  symlinkSync(join(root, 'bin', 'aspy'), join(bin, 'aspy'))
  return bin
}

test.each(['plain', "it's a folder", 'with $HOME and `id`'])(
  'a command typed in another folder runs this installation: %s',
  (name) => {
    const root = installation(name)
    const command = asTyped('aspy run -- claude', typedCommand({ root, path: '/usr/bin', platform: 'linux' }))
    expect(execFileSync('/bin/sh', ['-c', command], { cwd: '/', encoding: 'utf8' })).toBe('aspy got run -- claude\n')
  },
)

test('the name is enough if the PATH leads to this installation, but not if it leads to another', () => {
  const [own, other] = [installation('own'), installation('other')]
  const path = ['/usr/bin', linkedFrom('linked', own)].join(delimiter)
  expect(typedCommand({ root: own, path, platform: 'linux' })).toBe('aspy')
  expect(typedCommand({ root: other, path, platform: 'linux' })).toBe(join(other, 'bin', 'aspy'))
})

test('folders that npm adds to the PATH of its scripts do not count', () => {
  const root = installation('in-npx')
  const path = linkedFrom(join('npx', 'node_modules', '.bin'), root)
  expect(typedCommand({ root, path, platform: 'linux' })).toBe(join(root, 'bin', 'aspy'))
})

test('Windows runs the script with node, and an app without a command gives the name', () => {
  const root = installation('windows')
  expect(typedCommand({ root, path: '', platform: 'win32' })).toBe(`node ${join(root, 'bin', 'aspy')}`)
  const packed = installation('Program Files')
  writeFileSync(join(packed, 'node.exe'), '')
  expect(typedCommand({ root: packed, path: '', platform: 'win32' })).toBe(
    `/"${join(packed, 'node.exe').slice(1)}" "${join(packed, 'bin', 'aspy')}"`,
  )
  const paths = ['C:/Users/zoë', 'C:/aspy', 'C:/a $b/`c'].map((path) => shellQuoted(path, 'win32'))
  expect(paths).toEqual(['"C:/Users/zoë"', 'C:/aspy', '"C:/a `$b/``c"'])
  expect(typedCommand({ root: join(folder, 'nothing'), path: '', platform: 'linux' })).toBe('aspy')
})

test('only a command at the beginning is replaced', () => {
  expect(asTyped('df -h /aspy data', '/opt/aspy')).toBe('df -h /aspy data')
  expect(asTyped('aspy', '/opt/aspy')).toBe('/opt/aspy')
})

test('commands inside a sentence are replaced, other uses of the name are not', () => {
  expect(withTyped('start aspy with aspy run -- claude, or with aspy serve', '/opt/a$&b')).toBe(
    'start aspy with /opt/a$&b run -- claude, or with /opt/a$&b serve',
  )
})

test.each([
  ['see aspy status', 'see /opt/aspy status --data /x'],
  [
    'run aspy run -- claude, or aspy team join URL CODE',
    'run /opt/aspy run --data /x -- claude, or /opt/aspy team join --data /x URL CODE',
  ],
  ['start it with aspy', 'start it with /opt/aspy --data /x'],
  ['run /opt/aspy stop --data /y', 'run /opt/aspy stop --data /y'],
  ['run aspy stop --data /y', 'run /opt/aspy stop --data /y'],
  ['run aspy --help', 'run /opt/aspy --help'],
])('each command of a sentence names the folder once: %s', (text, typed) => {
  expect(withTyped(text, '/opt/aspy', ' --data /x')).toBe(typed)
})

test.each([
  ['nothing is recorded yet; start the app with aspy', 'nothing is recorded yet; start the app with /opt/aspy'],
  ['restore a backup with aspy restore', 'restore a backup with /opt/aspy restore'],
  ['run aspy --help for a list', 'run /opt/aspy --help for a list'],
  ['trace the newest error with aspy trace --last-error', 'trace the newest error with /opt/aspy trace --last-error'],
  ['open the link that aspy prints', 'open the link that aspy prints'],
  ['it was not made by aspy backup', 'it was not made by aspy backup'],
])('what an error names as a command is one: %s', (text, typed) => {
  expect(withTyped(text, '/opt/aspy')).toBe(typed)
})
