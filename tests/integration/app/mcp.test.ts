import { MCP_CHARACTERS_PER_TOKEN, MCP_TOKEN_BUDGET } from '../../../src/shared/contract/mcp-tools.ts'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
let folder: TempFolder
let app: TestApp

beforeAll(async () => {
  folder = makeTempFolder()
  upstream = await startMessagesUpstream(({ body }) =>
    lastUserText(body).includes('Recall it')
      ? { steps: [{ tool: 'mcp__aspy__aspy_recall_context', input: { query: 'solarized' }, id: 'toolu_recall' }] }
      : { steps: [{ text: 'Take the solarized theme.' }] },
  )
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await app.recorderRuns()
  await (await ask(app.proxy, { prompt: 'Which theme?' })).text()
  await until('the answer can be recalled', async () => {
    const { total } = await app.call<{ total: number }>('recall.search', { query: 'solarized' })
    return total > 0
  })
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
  folder?.remove()
})

const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(`${app.app}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${readFileSync(join(folder.path, 'mcp'), 'utf8').trim()}` } },
  })
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [ASPY_ENTRY, 'mcp', '--data', folder.path],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.path },
  })

const surfaces: readonly (readonly [string, string, () => Transport])[] = [
  ['2026-07-28', 'HTTP', overHttp],
  ['2025-11-25', 'HTTP', overHttp],
  ['2026-07-28', 'stdio', overStdio],
  ['2025-11-25', 'stdio', overStdio],
]

/** Tools that there are not, and what is said of them. */
const NAMES = [
  ['aspy_recal_context', 'did you mean "aspy_recall_context"?'],
  ['aspy_recall', 'did you mean "aspy_recall_context"?'],
  ['frobnicate', 'the tools are aspy_recall_context, '],
] as const

async function connected(version: string, transport: Transport): Promise<Client> {
  const mode = version === '2025-11-25' ? 'legacy' : { pin: version }
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  return client
}

describe.each(surfaces)('revision %s over %s', (version, _name, transport) => {
  test('offers and runs the tools of the contract, and returns errors as results', async () => {
    const client = await connected(version, transport())
    try {
      const { tools } = await client.listTools()
      const declared = OPERATIONS.flatMap((operation) =>
        'mcp' in operation && operation.mcp ? [operation.mcp.name] : [],
      )
      expect(tools.map(({ name }) => name).toSorted()).toEqual(declared.toSorted())
      const recalled = await client.callTool({
        name: 'aspy_recall_context',
        arguments: { query: 'solarized', project: 'all' },
      })
      expect(JSON.stringify(recalled.content)).toContain('Take the solarized theme.')
      const stats = await client.callTool({ name: 'aspy_lifetime_stats', arguments: {} })
      expect(stats.structuredContent).toMatchObject({ total_sessions: 1 })
      const missing = await client.callTool({ name: 'aspy_get', arguments: { uuid: 'no-such-event' } })
      expect(missing).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('no-such-event') }],
      })
      const misspelt = await client.callTool({ name: 'aspy_tool_history', arguments: { sesion_id: 's' } })
      expect(misspelt).toMatchObject({
        isError: true,
        content: [
          {
            type: 'text',
            text: expect.stringContaining(
              'there is no field "sesion_id" (did you mean "session_id"?); it takes tool_name, session_id, limit',
            ),
          },
        ],
      })
      for (const [name, meant] of NAMES)
        await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`there is no tool "${name}"; ${meant}`)
    } finally {
      await client.close()
    }
  })
})

test.each([
  ['aspy_memories', { project: 'projcet' }],
  ['aspy_session_history', { project: 'projcet' }],
  ['aspy_recent_events', { project: 'projcet' }],
  ['aspy_recent_events', { session_id: 'nosuch' }],
  ['aspy_lifetime_stats', { project: 'projcet' }],
  ['aspy_timeline', { session_id: 'nosuch' }],
  ['aspy_tool_history', { session_id: 'nosuch' }],
  ['aspy_tool_history', { tool_name: 'Bsh "x"' }],
])('%s of %j is refused with what is recorded, since nothing may have happened there', async (name, args) => {
  const client = await connected('2026-07-28', overHttp())
  const { isError, content } = await client.callTool({ name, arguments: args })
  expect([isError, JSON.stringify(content)]).toEqual([
    true,
    expect.stringMatching(/no (?:project|session|tool) .* is recorded/),
  ])
  const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', {})
  const known = { project: 'project', session_id: items[0]?.id }
  const named = Object.entries(known).filter(([field]) => field in args)
  const answer = await client.callTool({ name, arguments: Object.fromEntries(named) })
  expect(answer.isError).not.toBe(true)
  await client.close()
})

test('tool descriptions are small, and only recall is visible from the start', async () => {
  const client = await connected('2026-07-28', overHttp())
  const { tools } = await client.listTools()
  await client.close()
  // Schemas of answers are counted too, though not every client shows them.
  const definitions = tools.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    description,
    inputSchema,
    outputSchema,
  }))
  const tokens = Math.ceil(JSON.stringify(definitions).length / MCP_CHARACTERS_PER_TOKEN)
  expect(tokens).toBeLessThan(MCP_TOKEN_BUDGET)
  const shown = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)
  expect(shown.map(({ name }) => name)).toEqual(['aspy_recall_context'])
  for (const { name, description } of tools) {
    expect(name.length + 'mcp__plugin_aspy_aspy__'.length, name).toBeLessThanOrEqual(64)
    expect(description?.length, name).toBeLessThan(2048)
  }
})

test('over HTTP a call is identified by its tool-use ID: its own turn is excluded and its project is searched', async () => {
  const session = randomUUID()
  await (await ask(app.proxy, { prompt: 'Recall it: what of solarized?', session })).text()
  await until('the prompt and the call are recorded', async () => {
    const { items } = await app.call<{ items: object[] }>('prompts.search', { query: 'recall it' })
    const { count } = await app.call<{ count: number }>('events.count', { session_id: session, kind: 'tool_call' })
    return items.length === 1 && count === 1
  })
  const client = await connected('2026-07-28', overHttp())
  const recall = async (_meta?: Record<string, unknown>) => {
    const answer = await client.callTool({
      name: 'aspy_recall_context',
      arguments: { query: 'solarized' },
      ...(_meta === undefined ? {} : { _meta }),
    })
    return JSON.stringify(answer.content)
  }
  expect(await recall()).toContain('Recall it')
  const known = await recall({ 'claudecode/toolUseId': 'toolu_recall' })
  expect(known).toContain('Take the solarized theme.')
  expect(known).not.toContain('Recall it')
  expect(await recall({ 'claudecode/toolUseId': 'toolu_of_nobody' })).toContain('Recall it')
  await client.close()
})

test('MCP refuses requests without a key or with the hooks key', async () => {
  for (const key of ['', readFileSync(join(folder.path, 'hooks'), 'utf8').trim()]) {
    const response = await fetch(`${app.app}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{}',
    })
    expect([401, 403]).toContain(response.status)
  }
})

test('works over stdio without the app', async () => {
  using empty = makeTempFolder()
  const other = await startApp({ upstream: upstream.url, dataDir: empty.path })
  await other.recorderRuns()
  await (await ask(other.proxy, { prompt: 'Anything' })).text()
  await until('it is recorded', async () => {
    const { total_prompts } = await other.call<{ total_prompts: number }>('stats.summary')
    return total_prompts === 1
  })
  await other.close()
  const client = await connected(
    '2025-11-25',
    new StdioClientTransport({
      command: process.execPath,
      args: [ASPY_ENTRY, 'mcp', '--data', empty.path],
      env: { PATH: process.env['PATH'] ?? '', HOME: empty.path },
    }),
  )
  const stats = await client.callTool({ name: 'aspy_lifetime_stats', arguments: {} })
  expect(stats.structuredContent).toMatchObject({ total_sessions: 1, total_prompts: 1 })
  await client.close()
})
