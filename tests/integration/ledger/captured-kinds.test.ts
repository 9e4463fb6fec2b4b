import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { JsonObject } from '../../../src/shared/event.ts'
import { settled } from '../../support/app/recorded-session.ts'
import { startApp } from '../../support/app/start-app.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const FILE = join(import.meta.dirname, '../../fixtures/requests/claude-code-2.1.332-compacted.json')
const BODIES = JSON.parse(readFileSync(FILE, 'utf8')) as readonly JsonObject[]

test('files that are attached keep their name, also after a compaction, and what the client says is not a prompt', async () => {
  await using upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Done.' }],
    usage: { input_tokens: 4000, output_tokens: 10 },
  }))
  await using app = await startApp({ upstream: upstream.url })
  for (const body of BODIES) {
    const headers = { 'content-type': 'application/json', 'x-claude-code-session-id': 'captured' }
    await (await fetch(`${app.proxy}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })).text()
    await settled(app)
  }
  const { items } = await app.call<OperationOutput<'carry.session'>>('carry.session', {
    session_id: 'captured',
    limit: 200,
  })
  const files = items.filter(({ kind }) => kind === 'file_read').map(({ name, tool }) => `${tool} ${name}`)
  expect(files.toSorted()).toEqual([
    // Attached after the compaction, as a call and its result; read before it, which is a call of its own kind.
    'Read /home/ada/orbit/notes.txt',
    'Read /home/ada/orbit/notes.txt',
    'Read /home/ada/orbit/other.txt',
    'Read /home/ada/orbit/other.txt',
    'Read /home/ada/orbit/other.txt',
  ])
  const kinds = Object.groupBy(items, ({ kind }) => kind)
  expect(kinds['other'] ?? []).toEqual([])
  expect(kinds['claude_md']?.every(({ name }) => name === '/home/ada/orbit/CLAUDE.md')).toBe(true)
  // Two prompts, the client's request for a summary, and the command.
  expect(kinds['prompt']?.length).toBe(4)
  const { items: byFile } = await app.call<OperationOutput<'carry.list'>>('carry.list', { by: 'file' })
  expect(byFile.flatMap(({ key }) => (key === null ? [] : [key])).toSorted()).toEqual([
    '/home/ada/orbit/CLAUDE.md',
    '/home/ada/orbit/notes.txt',
    '/home/ada/orbit/other.txt',
  ])
})
