import { expect, test } from 'vitest'
import type { Json } from '../../shared/event.ts'
import { blockDrafts } from './content-block.ts'

const BASE = { source: 'wire', session_id: 's' } as unknown as Parameters<typeof blockDrafts>[0]
const decode = (block: Json, toolNameOf?: (id: string) => string | null) => {
  const place = { messageId: 'msg_1', index: 3, keys: [], parents: [] }
  return blockDrafts(BASE, block, toolNameOf === undefined ? place : { ...place, toolNameOf }, () => 'hash')
}

test('a call of a tool that the API runs says so; one of the client does not', () => {
  const call = (type: string) => decode({ type, id: 'c', name: 'n', input: {} })[0]?.payload
  expect(call('server_tool_use')).toMatchObject({ server_side: true })
  expect(call('mcp_tool_use')).toMatchObject({ server_side: true })
  expect(call('tool_use')).not.toHaveProperty('server_side')
})

test('input that came as a text is read as JSON; what is not JSON stays', () => {
  const input = (text: string) => decode({ type: 'tool_use', id: 'c', name: 'n', input: text })[0]?.payload
  expect(input('{"a":1}')).toMatchObject({ input: { a: 1 } })
  expect(input('{"a":')).toMatchObject({ input: '{"a":' })
})

test('a result of the API takes its name from the call, or else from its type; an MCP result has none', () => {
  const result = (type: string, toolNameOf?: (id: string) => string | null) =>
    decode({ type, tool_use_id: 'c', content: [] }, toolNameOf)[0]?.payload
  expect(result('web_search_tool_result')).toMatchObject({ tool_name: 'web_search', server_side: true })
  expect(result('mcp_tool_result')).toMatchObject({ tool_name: null })
  expect(result('mcp_tool_result', () => 'search')).toMatchObject({ tool_name: 'search' })
})

test('a result of the API failed if it says so, or if its content is an error', () => {
  const failed = (more: object) =>
    decode({ type: 'web_search_tool_result', tool_use_id: 'c', content: [], ...more } as Json)[0]?.success
  expect(failed({})).toBe(true)
  expect(failed({ is_error: true })).toBe(false)
  expect(failed({ content: { type: 'web_search_tool_result_error', error_code: 'x' } })).toBe(false)
})
