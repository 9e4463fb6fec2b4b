import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { callSteps } from '../../../src/main/files/call-steps.ts'
import { FileTree } from '../../../src/main/files/file-tree.ts'
import { isHeavy, SEED } from '../../support/runner/heavy.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const FILES: Readonly<Record<string, string>> = {
  'a.ts': 'const a = 1\nuse w\n  return a\n}\n',
  'b.ts': 'const b = 2\n}\n',
  'same.ts': 'x\nx\nx\n',
  'sp ace.ts': 'const space = 1\n',
  "it's.ts": 'quote\n',
  'ünï.ts': 'const ü = "é"\n',
  'open.ts': 'no end',
  'empty.ts': '',
  'crlf.ts': 'one\r\ntwo\r\n',
  'bom.ts': '\ufeffbom\nx\n',
  'src/c.ts': 'const c = 3\n',
  'src/d.js': 'const d = 4\n',
  'src/in/e.ts': 'const e = 5\n',
  'lib/c.ts': 'other c\n',
  '.hidden.ts': 'hidden\n',
  'fix.patch': '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-const a = 1\n+const a = 9\n use w\n',
  'run.sh': 'echo changed > a.ts\n',
}

/** Command lines, in which anything may happen to the files. */
const COMMANDS = readFileSync(new URL('../../support/files/commands.txt', import.meta.url), 'utf8')

/** Joins the lines of here-documents to their command. */
function commandLines(): string[] {
  const found: string[] = []
  let open: string[] = []
  for (const line of COMMANDS.trim().split('\n')) {
    if (open.length > 0) {
      found[found.length - 1] += `\n${line}`
      if (line.trim() === open[0]) open.shift()
      continue
    }
    found.push(line)
    open = [...line.matchAll(/(?<!<)<<-?\s*["']?([A-Z]+)/g)].map(([, end = '']) => end)
  }
  return found
}

const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'A Person'],
      [`GIT_${who}_EMAIL`, 'person@example.com'],
    ]),
  ),
}

const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('.git/') && statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true,
  )

/** Runs a command in a folder of files that were all written by calls; returns what is wrong of what is then sure. */
function wrongAfter(root: string, command: string): string[] {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  const tree = new FileTree()
  const play = (toolName: string, input: { [field: string]: string }, more: object = {}) => {
    const call = { detail: undefined, isSuccess: true, isRejected: false, folder: root, output: '' }
    for (const step of callSteps({ ...call, toolName, input, ...more })) tree.apply(step, toolName)
  }
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
    play('Write', { file_path: join(root, name), content }, { detail: { type: 'create' } })
  }
  const run = (line: string) => spawnSync('bash', ['-c', line], { cwd: root, env, encoding: 'utf8' })
  if (command.includes('git')) run('git init -q -b main && git add -A && git commit -qm first')
  const { stdout, stderr, status } = run(command)
  const output = [stdout.replace(/^(?:\s*\n)+/, '').trimEnd(), stderr.trim()].filter((part) => part !== '').join('\n')
  play('Bash', { command }, { output, isSuccess: status === 0 })
  return [...new Set([...Object.keys(FILES), ...below(root)])].flatMap((path) => {
    const { kind, doubtedSince, lines, isWhole } = tree.state(join(root, path))
    const real = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null
    if (doubtedSince !== null || kind === 'unknown') return []
    const told = kind === 'absent' ? null : lines.map(({ text }) => text ?? '?').join('\n')
    const isRight = told === (real?.replaceAll('\r\n', '\n') ?? null) && (isWhole || kind === 'absent')
    return isRight ? [] : [`${command}: ${path} is ${JSON.stringify(real)}, not ${JSON.stringify(told)}`]
  })
}

test('after a real command, nothing is sure of a file that is not so', () => {
  const root = temporaryFolder()
  const commands = commandLines().filter((_, at) => isHeavy || at % 8 === SEED % 8)
  expect(commands.flatMap((command) => wrongAfter(root, command))).toEqual([])
}, 300_000)
