import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { desktopSpecs } from '../../support/desktop/desktop-specs.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const rows = page.split('\n').filter((line) => /^\| [^-#]/.test(line))
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:src|tests|scripts|docs|resources)\/[^`]+|[\w.-]+\.(?:yml|json|ts))`/g)].map(
    ([, path = '']) => path,
  )

test('every file named on the security page exists', () => {
  const named = filesIn(page)
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every spec named on the page exists', () => {
  const names: readonly string[] = desktopSpecs.map(({ name }) => name)
  const cited = new Set([...page.matchAll(/(?<![*\w])\*([^*\n]+)\*(?!\*)/g)].map(([, name = '']) => name))
  cited.delete('italics')
  expect([...cited].filter((name) => !names.includes(name))).toEqual([])
  expect(cited.size).toBeGreaterThan(9)
})

test("it answers all twenty points of Electron's checklist with a file to look at", () => {
  const points = rows.flatMap((row) => /^\| (\d+) \| .* \| (.*) \|$/.exec(row)?.slice(1, 3) ?? [])
  const numbers = points.filter((_, index) => index % 2 === 0).map(Number)
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  const answers = points.filter((_, index) => index % 2 === 1)
  expect(answers.filter((answer) => filesIn(answer).length === 0 && !/the same (test|spec)/.test(answer))).toEqual([])
})

test('nothing that the checklist warns about is enabled', () => {
  const sources = globSync('src/{main,preload}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  expect(sources.length).toBeGreaterThan(200)
  const forbidden = [
    /allowRunningInsecureContent/,
    /experimentalFeatures/,
    /enableBlinkFeatures/,
    /allowpopups/i,
    /webviewTag: true|<webview/,
    /nodeIntegration\w*: true/,
    /(?:contextIsolation|sandbox|webSecurity): false/,
    /loadFile\(|['"`]file:\/\//,
    /no-sandbox/,
  ]
  const found = sources.flatMap(([path, text]) =>
    forbidden.filter((pattern) => pattern.test(text)).map((pattern) => `${path}: ${pattern}`),
  )
  expect(found).toEqual([])
})

test('only the shell and the preload import Electron', () => {
  const known = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
    /from 'electron'/.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(known.filter((path) => !/^src[/\\](main[/\\]electron|preload)[/\\]/.test(path))).toEqual([])
})
