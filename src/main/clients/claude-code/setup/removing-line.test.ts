import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removingLine } from './removing-line.ts'

const SECRET = `aspy-path-${'s_-'.repeat(14)}s`
const URL = `http://127.0.0.1:2779/${SECRET}`
const TRUST = "/home/o'neil é/a.b [1]/ca.pem"

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-line-'))
  file = join(folder, "set'tings.json")
})
afterEach(() => rmSync(folder, { recursive: true }))

const changes = () => [
  { file, path: ['env', 'ANTHROPIC_BASE_URL'], after: URL },
  { file, path: ['env', 'NODE_EXTRA_CA_CERTS'], before: '/corp.pem', after: TRUST },
  { file, path: ['showThinkingSummaries'], after: true },
]
const [url, trust] = [`"ANTHROPIC_BASE_URL": "${URL}"`, `"NODE_EXTRA_CA_CERTS": "${TRUST}"`]

test.runIf(process.platform !== 'win32').each([
  ['as setup wrote it', `{\n  "env": {\n    ${url},\n    ${trust}\n  }\n}\n`, `{\n  "env": {\n    \n  }\n}\n`],
  [
    'with variables after it',
    `{\n\t"env": {\n\t\t${url},\n\t\t${trust},\n\t\t"MINE": "a,b"\n\t},  "x" : [1,2]\n}`,
    `{\n\t"env": {\n\t\t"MINE": "a,b"\n\t},  "x" : [1,2]\n}`,
  ],
  [
    'with variables before it, too',
    `{\n  "env": {\n    "MINE": "1",\n    ${url},\n    "B": "2",\n    ${trust}\n  }\n}\n`,
    `{\n  "env": {\n    "MINE": "1",\n    "B": "2"\n  }\n}\n`,
  ],
  ['on one line', `{"env":{"A":"1",${url.replace(': ', ':')},"B":"2"}}\n`, `{"env":{"A":"1","B":"2"}}\n`],
  ['on one line, first', `{"env":{${url} , "B":"2"}}`, `{"env":{ "B":"2"}}`],
  [
    'with Windows line ends',
    `{\r\n  "env": {\r\n    ${url},\r\n    "MINE": "1",\r\n    ${trust},\r\n\r\n    "B": "2"\r\n  }\r\n}\r\n`,
    `{\r\n  "env": {\r\n    "MINE": "1",\r\n\r\n    "B": "2"\r\n  }\r\n}\r\n`,
  ],
  [
    'with Windows line ends, last',
    `{\r\n  "env": {\r\n    "MINE": "1",\r\n    ${trust},\r\n    ${url}\r\n  }\r\n}`,
    `{\r\n  "env": {\r\n    "MINE": "1"\r\n  }\r\n}`,
  ],
  [
    'with blank lines, and another one behind it on its line',
    `{\n  "env": {\n\n    ${url}, "A": "1",\n\n    ${trust},\n\n    "B": "2"\n  }\n}\n`,
    `{\n  "env": {\n\n     "A": "1",\n\n\n    "B": "2"\n  }\n}\n`,
  ],
  [
    'as other programs spell it',
    `{"env": {"A": "1", ${url.replaceAll('/', String.raw`\/`)}, ${trust.replace('é', String.raw`\u00e9`)}}, "b": "\\/é"}`,
    `{"env": {"A": "1"}, "b": "\\/é"}`,
  ],
  [
    'in another order, with the same words elsewhere',
    `{\n  "note": "ANTHROPIC_BASE_URL",\n  "env": {\n    ${trust} ,\n    ${url}\n  },\n  "hooks": ["${URL}"]\n}\n`,
    `{\n  "note": "ANTHROPIC_BASE_URL",\n  "env": {\n     \n  },\n  "hooks": ["${URL}"]\n}\n`,
  ],
  [
    'with another value since',
    `{\n  "env": {\n    "ANTHROPIC_BASE_URL": "http://127.0.0.1:2779/mine",\n    ${trust}\n  }\n}\n`,
    `{\n  "env": {\n    "ANTHROPIC_BASE_URL": "http://127.0.0.1:2779/mine"\n  }\n}\n`,
  ],
])('removes the variables of setup and nothing else: %s', (_, before, after) => {
  writeFileSync(file, before)
  const line = removingLine(changes(), process.platform) ?? ''
  expect(line).not.toContain(SECRET)
  execFileSync('sh', ['-c', line])
  expect(readFileSync(file, 'utf8')).toBe(after)
  expect(() => JSON.parse(after) as unknown).not.toThrow()
  execFileSync('sh', ['-c', line])
  expect(readFileSync(file, 'utf8')).toBe(after)
})

test.runIf(process.platform !== 'win32')('keeps comments, and knows a base URL that names a gateway', () => {
  const after = `${URL}/aspy-to-${'0'.repeat(32)}`
  writeFileSync(
    file,
    `{\n  "env": { // mine\n    "ANTHROPIC_BASE_URL": "${after}", // by setup\n    "A": "1" // too\n  }\n}\n`,
  )
  execFileSync('sh', ['-c', removingLine([{ file, path: ['env', 'ANTHROPIC_BASE_URL'], after }], 'linux') ?? ''])
  expect(readFileSync(file, 'utf8')).toBe(`{\n  "env": { // mine\n     // by setup\n    "A": "1" // too\n  }\n}\n`)
})

test('on Windows it is a line of PowerShell with the same patterns', () => {
  const line = removingLine(changes(), 'win32') ?? ''
  expect(line).toContain(`$f='${file.replaceAll("'", "''")}'`)
  const patterns = [...line.matchAll(/-replace '((?:[^']|'')+)',''/g)].map(([, found = '']) =>
    found.replaceAll("''", "'"),
  )
  const text = `{\r\n  "env": {\r\n    ${url},\r\n    "MINE": "1",\r\n    ${trust}\r\n  }\r\n}`
  const left = patterns.reduce((now, pattern) => now.replaceAll(new RegExp(pattern, 'g'), ''), text)
  expect(left).toBe(`{\r\n  "env": {\r\n    "MINE": "1"\r\n  }\r\n}`)
})

test('without variables of setup there is none', () => {
  expect(removingLine([{ file, path: ['showThinkingSummaries'], after: true }], 'linux')).toBeNull()
})
