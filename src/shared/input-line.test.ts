import { expect, test } from 'vitest'
import { eventLine, inputLine } from './input-line.ts'

test.each([
  ['{"command":"npm test","description":"Run"}', 'npm test'],
  ['{"command":"echo \\"a\\"\\nls","descri', 'echo "a" ls'],
  [JSON.stringify({ command: String.raw`printf 'x\ny\n' > c.txt` }), String.raw`printf 'x\ny\n' > c.txt`],
  [JSON.stringify({ command: String.raw`ls C:\new\temp` }), String.raw`ls C:\new\temp`],
  ['{"command":"a\\r\\n\\tb \\u00e9\\u001b[1m \\u00', 'a   b é\\u001b[1m '],
  ['{"replace_all":false,"limit":-1.5,"file_path":"/a b.ts","old', '/a b.ts'],
  ['{"unified-status":"allowed"}', 'allowed'],
  ['{"todos":[{"content":"Paint it","status":"pending"}]}', 'Paint it'],
  ['{"deep":true,"paths":["/a.ts","/b.ts"]}', '/a.ts /b.ts'],
  ['{"todos":[{"content":"Pai', 'Pai'],
  ['{"deep":true}', '{"deep":true}'],
  ['{"":""}', '{"":""}'],
  ['[]', '[]'],
  ['no JSON', 'no JSON'],
  ['{"command":["bash","-lc","cat \\"a\\" | sort"],"workdir":"/w"}', 'cat "a" | sort'],
  ['{"command":["ls","-l"]}', 'ls -l'],
  ['{"command":["bash","-lc","cat a lo', 'cat a lo'],
  ['{"type":"search","query":"weather"}', 'weather'],
  ['{"type":"exec","command":["ls"],"env":{}}', 'ls'],
])('%s is shown as %s', (summary, line) => expect(inputLine(summary)).toBe(line))

test.each([
  ['tool_call', 'Bash {"command":"npm test"}', 'Bash npm test'],
  ['tool_call', 'mcp__a__b {"x":1,"q":"words"}', 'mcp__a__b words'],
  ['rate_limit', '{"unified-status":"allowed"}', 'allowed'],
  ['state_change', 'permission_asked {"tool_name":"Bash","tool_input":{}}', 'permission_asked Bash'],
  ['task_update', '[{"id":"1","subject":"Paint it","status":"pending"},{"id":"2","subject":"Dry', 'Paint it · Dry'],
  ['user_prompt', '{"name":"a","rest":"b"}', '{"name":"a","rest":"b"}'],
  ['tool_result', 'Read {"name":"a"}', 'Read {"name":"a"}'],
  ['tool_call', 'He said {"a":"b"}', 'He said {"a":"b"}'],
])('the %s %s is shown as %s', (kind, text, line) => expect(eventLine({ kind, text })).toBe(line))
