import { expect, test } from 'vitest'
import { redactEnvValues, showsEnvFile } from './env-values.ts'

const redact = (text: string) => redactEnvValues(text, (value) => `<${value.length}>`)

test('every value is replaced: bare, quoted, over several lines, exported, or behind a line number', () => {
  expect(redact('A=one\n# B=no name here? yes\nC="two"\n')).toBe('A=<3>\n# B=no name here? yes\nC="<3>"\n')
  expect(redact('KEY="first\nsecond"\nNEXT=1')).toBe('KEY="<12>"\nNEXT=1')
  expect(redact('  export TOKEN=abc')).toBe('  export TOKEN=<3>')
  expect(redact('    12→PORT=8080\n 3\tHOST = localhost  ')).toBe('    12→PORT=<4>\n 3\tHOST = <9>  ')
  expect(redact("OPEN='not closed\nB=2")).toBe('OPEN=<11>\nB=2')
})

test('an empty value, and one that is redacted, stay', () => {
  const text = 'A=\nB=""\nC=[redacted:github-token:12ab]'
  expect(redact(text)).toBe(text)
})

test.each([
  ['.env', true],
  ['/srv/app/.env.local', true],
  ['prod.env', true],
  ['.envrc', true],
  ['.env.example', false],
  ['.env.schema', false],
  ['environment.ts', false],
])('%s: %s', (path, isShown) => {
  expect(showsEnvFile({ file_path: path })).toBe(isShown)
  expect(showsEnvFile({ command: `cat '${path}' | head` })).toBe(isShown)
  expect(showsEnvFile({ cmd: `cat ${path}` })).toBe(isShown)
  expect(showsEnvFile({ command: ['bash', '-lc', `cat ${path}`] })).toBe(isShown)
  expect(showsEnvFile({ commands: ['ls', `cat ${path}`] })).toBe(isShown)
  expect(showsEnvFile({ pattern: 'TOKEN', path })).toBe(isShown)
})
