import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes a program named `claude` into a folder. It sends its first argument to ANTHROPIC_BASE_URL as Claude Code does, and
 * prints the text of the answer. It runs on any Node from 18.
 */
export function writeScriptedClient(folder: string, sessionId: string): void {
  const program = join(folder, 'claude')
  const body = `{
    model: 'claude-haiku-5-5', max_tokens: 1024, stream: true,
    system: [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330; cc_entrypoint=cli;' },
      { type: 'text', text: 'You are Claude Code.' }],
    tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: process.argv[2] }],
  }`
  writeFileSync(
    program,
    `#!/usr/bin/env node
const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages?beta=true', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-dummy', 'anthropic-version': '2023-06-01',
    'user-agent': 'claude-cli/2.1.330 (external, cli)', 'x-app': 'cli', 'x-claude-code-session-id': '${sessionId}' },
  body: JSON.stringify(${body}),
})
const deltas = [...(await answer.text()).matchAll(/"text_delta","text":("(?:[^"\\\\\\\\]|\\\\\\\\.)*")/g)]
console.log(answer.status, deltas.map(([, text]) => JSON.parse(text)).join(''))
`,
  )
  chmodSync(program, 0o755)
  // Without it, Node takes a file without an extension for CommonJS.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
}
