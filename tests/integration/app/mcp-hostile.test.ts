import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { type MessagesUpstream, startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

let upstream: MessagesUpstream
let folder: TempFolder
let app: TestApp
let client: Client

beforeAll(async () => {
  folder = makeTempFolder()
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Take the solarized theme.' }] }))
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await app.recorderRuns()
  await (await ask(app.proxy, { prompt: 'Which theme?' })).text()
  await until('the answer can be recalled', async () => {
    const { total } = await app.call<{ total: number }>('recall.search', { query: 'solarized' })
    return total > 0
  })
  client = new Client({ name: 'hostile', version: '1' })
  const token = readFileSync(join(folder.path, 'mcp'), 'utf8').trim()
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.app}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
})
afterAll(async () => {
  await client?.close()
  await app?.close()
  await upstream?.close()
  folder?.remove()
})

async function call(name: string, args: object): Promise<{ readonly isError: boolean; readonly text: string }> {
  const { isError, content } = await client.callTool({ name, arguments: { ...args } })
  return { isError: isError === true, text: (content as { text?: string }[])[0]?.text ?? '' }
}

const WRONG: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ['limit', [-1, 0, 1e9, 1.5, 'x', {}]],
  ['offset', [-1, 'x']],
  ['budget', [-1, 1e12]],
  ['since', ['99999-99-99', 'someday']],
  ['page', [0, 'x']],
  ['query', [[], {}, 'x'.repeat(5000)]],
]

test('every tool names the argument that it cannot use', async () => {
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    const required = Object.fromEntries((inputSchema.required ?? []).map((field) => [field, 'solarized']))
    for (const [field, values] of WRONG.filter(([one]) => one in (inputSchema.properties ?? {}))) {
      for (const value of values) {
        const { isError, text } = await call(name, { ...required, [field]: value })
        expect([isError, text], `${name} ${field} ${JSON.stringify(value)}`).toEqual([
          true,
          expect.stringContaining(field),
        ])
      }
    }
  }
})

test('a search of an unknown project or session says so, and what there is', async () => {
  for (const project of ['%', "a'b", '"', '../..']) {
    const { isError, text } = await call('aspy_recall_context', { query: 'solarized', project })
    expect(isError).toBe(false)
    expect(text).toContain(`Nothing is recorded of project "${project}". There is: `)
    expect(text).not.toContain('Take the solarized theme.')
  }
  const { text } = await call('aspy_search_thinking', { query: 'solarized', session_id: 'no-such' })
  expect(text).toContain('Nothing is recorded of session "no-such". There is: ')
  const all = await call('aspy_recall_context', { query: 'solarized', project: 'all' })
  expect(all.text).not.toContain('Nothing is recorded')
})
