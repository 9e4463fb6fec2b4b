import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programOf } from './command-shim.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'aspy-shim-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const write = (text: string): string => {
  const file = join(folder, 'claude.cmd')
  writeFileSync(file, text)
  return file
}

/** What npm, pnpm and Yarn write for a program at this path, from the folder of the file. */
const SHIMS: readonly (readonly [name: string, text: (path: string) => string])[] = [
  [
    'npm',
    (path) =>
      `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${path}" %*\r\n`,
  ],
  [
    'npm, for a program',
    (path) =>
      `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n"%dp0%\\${path}"   %*\r\n`,
  ],
  [
    'pnpm',
    (path) =>
      `@SETLOCAL\r\n@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\${path}" %*\r\n) ELSE (\r\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  "%~dp0\\${path}" %*\r\n)\r\n`,
  ],
  ['Yarn', (path) => `@"%~dp0\\node.exe"  "%~dp0\\${path}" %*\r\n`],
]

test.each(SHIMS)('the file of %s leads to its program', (_, text) => {
  const script = programOf(write(text('node_modules\\@anthropic-ai\\claude-code\\cli.js')))
  expect(script).toEqual({ file: 'node', args: [join(folder, 'node_modules/@anthropic-ai/claude-code/cli.js')] })
  const program = programOf(write(text('..\\claude-code\\bin\\claude.exe')))
  expect(program).toEqual({ file: join(folder, '../claude-code/bin/claude.exe'), args: [] })
})

test("npm's own node is used if it is beside the file", () => {
  writeFileSync(join(folder, 'node.exe'), '')
  expect(programOf(write(SHIMS[0]?.[1]('cli.js') ?? '')).file).toBe(join(folder, 'node.exe'))
})

test('arguments arrive as they were', () => {
  mkdirSync(join(folder, 'pkg'))
  writeFileSync(join(folder, 'pkg/cli.js'), 'process.stdout.write(JSON.stringify(process.argv.slice(2)))')
  const { file, args } = programOf(write(SHIMS[0]?.[1]('pkg\\cli.js') ?? ''))
  const odd = ['a;b', '"quoted"', 'two words', '{"json": [1, "x"]}', '%PATH%', '$HOME', '^&|<>', "it's", '', '*']
  const { stdout } = spawnSync(file === 'node' ? process.execPath : file, [...args, ...odd], { encoding: 'utf8' })
  expect(JSON.parse(stdout)).toEqual(odd)
})

test('any other file is started as it is; on Windows, one for cmd.exe is refused', () => {
  const own = write('@echo %1\r\n')
  chmodSync(own, 0o755)
  expect(programOf(own, 'linux')).toEqual({ file: own, args: [] })
  expect(() => programOf(own, 'win32')).toThrow(/not a file that npm wrote.*aspy run -- PATH/)
  expect(programOf('/usr/bin/claude', 'win32')).toEqual({ file: '/usr/bin/claude', args: [] })
})
