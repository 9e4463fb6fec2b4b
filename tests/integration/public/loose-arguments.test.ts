import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeField } from '../../../src/shared/contract/describe-field.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import type { Operation } from '../../../src/shared/contract/operation.ts'
import { LONG } from '../../support/app/surface-history.ts'
import { servedHistory } from '../../support/window/served-history.ts'

/** Models and query strings write arguments loosely. The cases are derived from the contract. */
const { key, send } = servedHistory()

const REQUIRED: { readonly [field: string]: unknown } = { query: 'theme', session_id: LONG }
const TRUTHY: { readonly [kind: string]: unknown } = { number: 300, switch: true }
/** Their answers change from call to call, or depend on what is asked together. */
const CHANGING = new Set(['health', 'store.info', 'limits.now', 'limits.forecast'])

const shapeOf = (schema: z.ZodType): [string, z.ZodType][] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape as Record<string, z.ZodType>) : []
const isOptional = (field: z.ZodType) => field.safeParse(undefined).success
const requiredOf = (schema: z.ZodType) =>
  Object.fromEntries(shapeOf(schema).flatMap(([name, field]) => (isOptional(field) ? [] : [[name, REQUIRED[name]]])))
const isKnown = (input: object) => Object.values(input).every((value) => value !== undefined)

async function callTool(name: string, input: object): Promise<string> {
  const answer = await send('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key('mcp')}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  })
  return withoutNoise(await answer.text())
}

/** Leaves out the random mark of a fence, and the rank, which sinks with time. */
const withoutNoise = (answer: string) =>
  answer.replaceAll(/\b[0-9a-f]{12}\b/g, 'MARK').replaceAll(/"rank":[-\d.]+/g, '')

const TOOLS = OPERATIONS.flatMap((operation: Operation) => operation.mcp ?? []).filter(({ input }) =>
  isKnown(requiredOf(input)),
)

test.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s takes loose arguments', async (name, { input }) => {
  const required = requiredOf(input)
  const plain = await callTool(name, required)
  expect(plain).not.toContain('"isError":true')
  for (const [field, schema] of shapeOf(input).filter(([, schema]) => isOptional(schema))) {
    for (const empty of [null, '', '  ', [null], ['']])
      expect(await callTool(name, { ...required, [field]: empty }), `${field}: ${JSON.stringify(empty)}`).toBe(plain)
    const value = TRUTHY[describeField(schema).kind]
    for (const loose of value === undefined ? [] : [String(value), ` ${value} `, [value], [String(value)]])
      expect(await callTool(name, { ...required, [field]: loose }), `${field}: "${loose}"`).toBe(
        await callTool(name, { ...required, [field]: value }),
      )
  }
  expect(await callTool(name, { ...required, mood: 'x' })).toMatch(/no field \W+mood/)
})

test('a number or a boolean for a text is that text', async () => {
  expect(await callTool('aspy_recall_context', { query: 2026 })).toBe(
    await callTool('aspy_recall_context', { query: '2026' }),
  )
  expect(await callTool('aspy_get', { uuid: 5 })).toContain('5')
  expect(await callTool('aspy_recall_context', { query: ['theme'], project: ['all'] })).toBe(
    await callTool('aspy_recall_context', { query: 'theme', project: 'all' }),
  )
  for (const wrong of [{ query: ['theme', 'dark'] }, { query: 'theme', limit: true }, { query: { text: 'theme' } }])
    expect(await callTool('aspy_recall_context', wrong), JSON.stringify(wrong)).toContain('"isError":true')
  expect(await callTool('aspy_get', { uuid: null })).toContain('"isError":true')
})

const READING = OPERATIONS.filter(
  (operation: Operation) =>
    operation.http?.method === 'GET' &&
    operation.place === 'reader' &&
    operation.answer === 'value' &&
    !CHANGING.has(operation.name) &&
    isKnown(requiredOf(operation.input)),
) as readonly Operation[]

test.each(READING.map((operation) => [operation.name, operation] as const))(
  '%s reads an empty parameter as none',
  async (_name, { http, input }) => {
    const required = requiredOf(input)
    const path = Object.entries(required).reduce(
      (at, [name, value]) => at.replace(`:${name}`, String(value)),
      http?.path ?? '',
    )
    const query = Object.entries(required).map(([name, value]) => `${name}=${String(value)}`)
    const answer = async (more: string) => {
      const response = await send(
        `${path}?${[...query.filter((pair) => !http?.path.includes(`:${pair.split('=')[0]}`)), more].join('&')}`,
      )
      return withoutNoise(`${response.status} ${await response.text()}`)
    }
    const plain = await answer('')
    expect(plain).toMatch(/^200/)
    for (const [field] of shapeOf(input).filter(([, schema]) => isOptional(schema)))
      expect(await answer(`${field}=`), field).toBe(plain)
    expect(await answer('mood=x')).toMatch(/^400 .*no field/)
  },
)

test('a list and an object may be written as text', async () => {
  const { items } = (await (await send('/api/lifestats/recover?query=theme&limit=2')).json()) as {
    items: { uuid: string }[]
  }
  const uuids = items.map(({ uuid }) => uuid)
  const pack = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await send('/api/recall.pack', { method: 'POST', headers, body: JSON.stringify(body) })
    const { entries = [] } = (await response.json()) as { entries?: { uuid: string }[] }
    return [response.status, entries.map(({ uuid }) => uuid)]
  }
  expect(await pack({ uuids, hits: [] })).toEqual([200, uuids])
  expect(await pack({ uuids: JSON.stringify(uuids), hits: '[]' })).toEqual([200, uuids])
  expect(await pack({ uuids: `[${uuids[0]}` })).toEqual([400, []])
})
