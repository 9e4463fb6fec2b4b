import { expect, test } from 'vitest'
import { eventLine, inputLine } from './input-line.ts'

test.each([
  ['{"command":"npm test","description":"Run"}', 'npm test'],
  ['{"command":"echo \\"a\\"\\nls","descri', 'echo "a" ls'],
  ['{"replace_all":false,"limit":-1.5,"file_path":"/a b.ts","old', '/a b.ts'],
  ['{"unified-status":"allowed"}', 'allowed'],
  ['{"tasks":[{"text":"a"}]}', '{"tasks":[{"text":"a"}]}'],
  ['no JSON', 'no JSON'],
])('%s is shown as %s', (summary, line) => expect(inputLine(summary)).toBe(line))

test.each([
  ['Bash {"command":"npm test"}', 'Bash npm test'],
  ['mcp__a__b {"x":1,"q":"words"}', 'mcp__a__b words'],
  ['{"unified-status":"allowed"}', 'allowed'],
  ['He said {"a":"b"}', 'He said {"a":"b"}'],
  ['Read 1 import { x }', 'Read 1 import { x }'],
])('the event %s is shown as %s', (text, line) => expect(eventLine(text)).toBe(line))
