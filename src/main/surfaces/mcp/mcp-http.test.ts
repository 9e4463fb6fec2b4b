import { expect, test } from 'vitest'
import { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import { operation, type Operation } from '../../../shared/contract/operation.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import { createMcpHttp } from './mcp-http.ts'

const tool = (name: string) => ({
  name,
  description: name,
  input: z.object({ query: z.string().optional(), scope: z.enum(['mine', 'team']).optional() }),
  output: z.any(),
  answer: 'text',
  toInput: (args: object, caller: object) => ({ ...args, caller }),
})
const OPERATIONS = [
  operation({ name: 'thing.read', summary: '', input: z.any(), output: z.any(), mcp: tool('read') as never }),
  operation({
    name: 'thing.write',
    summary: '',
    input: z.any(),
    output: z.any(),
    writes: true,
    mcp: tool('write') as never,
  }),
] as unknown as readonly Operation[]

/** MCP over a dispatch that answers with its input, or fails; one tool call is known. */
function served(failure: Error | null = null) {
  const calls: unknown[] = []
  const mcp = createMcpHttp({
    operations: OPERATIONS,
    version: '0',
    whoCalled: async (id) => (id === 'toolu_1' ? { project: '/known', session: 's1' } : null),
    onError: () => undefined,
    dispatch: {
      call: async (name: string, input: unknown, context: { readonly access: string }) => {
        calls.push([name, input, context.access])
        if (failure !== null) throw failure
        return new TextEncoder().encode(JSON.stringify({ text: 'an answer' }))
      },
    } as unknown as Dispatch,
  })
  const ask = async (method: string, params: object, headers: Record<string, string> = {}) => {
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await (await mcp.fetch(request)).text()
    return JSON.parse(text.replace(/^[^]*?data: /, '').trim()) as { readonly result?: Record<string, unknown> }
  }
  const callTool = (args: object, meta: object = {}, headers = {}) =>
    ask('tools/call', { name: 'read', arguments: args, _meta: meta }, headers)
  return { ask, callTool, calls }
}
const BY_CALL = { 'claudecode/toolUseId': 'toolu_1' }

test('only what reads is a tool', async () => {
  const { result } = await served().ask('tools/list', {})
  expect(result).toMatchObject({ tools: [{ name: 'read' }] })
})

test('the caller is known by its call; the project that its program names counts more', async () => {
  const { callTool, calls } = served()
  await callTool({ query: 'a' }, BY_CALL)
  await callTool({ query: 'a' }, BY_CALL, { 'x-aspy-project': '/named' })
  await callTool({ query: 'a' }, { 'claudecode/toolUseId': 'another' })
  const inputs = calls.map((call) => call as [string, { caller: object }, string])
  expect(inputs.map(([name, , access]) => `${name} ${access}`)).toEqual(Array(3).fill('thing.read read'))
  expect(inputs.map(([, { caller }]) => caller)).toEqual([
    { project: '/known', session: 's1' },
    { project: '/named', session: 's1' },
    { project: null, session: null },
  ])
})

test("a question about the team goes to its server, without this machine's names", async () => {
  const { callTool, calls } = served()
  await callTool({ query: 'a', scope: 'team' }, BY_CALL)
  expect(calls).toEqual([
    [
      'team.read',
      { operation: 'thing.read', input: { query: 'a', scope: 'team', caller: { project: null, session: null } } },
      'read',
    ],
  ])
})

test('a failure is an error of the tool, with its message', async () => {
  const { result } = await served(new AspyError('not_found', 'there is no such thing')).callTool({})
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'there is no such thing' }] })
  expect((await served().callTool({})).result).toMatchObject({ content: [{ type: 'text', text: 'an answer' }] })
})
