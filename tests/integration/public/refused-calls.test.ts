import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { EVENT_KINDS } from '../../../src/shared/event.ts'
import { servedHistory } from '../../support/window/served-history.ts'

/** A call that the API refuses is the caller's mistake: it names the field, shows an example and changes nothing. */
const { get, send } = servedHistory()

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

async function post(path: string, body: string): Promise<Refusal> {
  const response = await send(path, { method: 'POST', body })
  const text = await response.text()
  const error = text.startsWith('{"error"')
    ? (JSON.parse(text) as { error: { code: string; message: string } }).error
    : { code: '', message: text.slice(0, 100) }
  return { status: response.status, ...error }
}

/** Values that must not change: health, its warnings, counters, `aspy_up`, and how much is stored. */
async function standing(): Promise<unknown> {
  const health = (await (await send('/api/health.get', { method: 'POST', body: '{}' })).json()) as Record<
    string,
    unknown
  >
  const metrics = await (await send('/metrics')).text()
  return {
    status: health['status'],
    dropped: health['dropped'],
    warnings: health['warnings'],
    metrics: metrics.split('\n').filter((line) => /^aspy_up|drop/.test(line)),
    events: await get('/api/events/count'),
  }
}

const operations = OPERATIONS.map(({ name, input }) => ({
  name,
  schema: z.toJSONSchema(input as z.ZodType, { io: 'input', unrepresentable: 'any' }),
}))

/** The example that a refusal shows. */
function exampleIn(message: string): Record<string, unknown> {
  const [, json = ''] = /; for example (\{.*\})$/s.exec(message) ?? []
  return JSON.parse(json) as Record<string, unknown>
}

test('a body that is not a JSON object is refused by every operation, with an example', async () => {
  const before = await standing()
  expect(operations.length).toBeGreaterThan(60)
  for (const { name } of operations) {
    for (const body of ['{', '{"session_id":', '[1]', '"text"', '7', 'null']) {
      const { status, code, message } = await post(`/api/${name}`, body)
      expect([status, code], `${name} ${body}`).toEqual([400, 'bad_input'])
      expect(message).toMatch(/^[a-z_]+(?:\.[a-z_]+)?: the body (is not valid JSON|must be a JSON object)/)
      expect(exampleIn(message), `${name}: ${message}`).toBeTypeOf('object')
    }
  }
  for (const path of ['/api/events', '/api/hooks']) expect((await post(path, '{')).status, path).toBe(400)
  expect(await standing()).toEqual(before)
})

test('a missing field is named, and the example has it', async () => {
  const before = await standing()
  const withRequired = operations.filter(({ schema }) => (schema.required ?? []).length > 0)
  expect(withRequired.length).toBeGreaterThan(25)
  for (const { name, schema } of withRequired) {
    const { status, message } = await post(`/api/${name}`, '{}')
    expect([name, status]).toEqual([name, 400])
    for (const field of schema.required ?? []) {
      expect(message, name).toContain(`${field} is missing`)
      expect(Object.keys(exampleIn(message)), `${name}: ${message}`).toContain(field)
    }
  }
  expect(await standing()).toEqual(before)
})

test('a field of a wrong type is named, and the example shows a right one', async () => {
  const before = await standing()
  let refused = 0
  for (const { name, schema } of operations) {
    for (const [field, of] of Object.entries(schema.properties ?? {})) {
      const type = typeof of === 'object' ? of.type : undefined
      if (type !== 'string' && type !== 'integer' && type !== 'array') continue
      const { status, message } = await post(`/api/${name}`, JSON.stringify({ [field]: { wrong: true } }))
      expect([name, field, status]).toEqual([name, field, 400])
      expect(message, name).toContain(field)
      refused += 1
    }
  }
  expect(refused).toBeGreaterThan(60)
  const { message } = await post('/api/sessions.list', JSON.stringify({ limit: 'many' }))
  expect(message).toMatch(/limit: .*; for example \{"limit":10\}$/)
  expect(await standing()).toEqual(before)
})

test('a field that does not exist, and a method that does not, are refused', async () => {
  const before = await standing()
  const { status, message } = await post('/api/sessions.get', JSON.stringify({ sesion_id: 's1' }))
  expect([status, message]).toEqual([400, expect.stringMatching(/sesion_id.*"session_id":"my-session"/)])
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    for (const path of ['/api/events', '/api/hooks', '/api/sessions.get', '/api/sessions/s1']) {
      const response = await send(path, { method, body: '{}' })
      expect([method, path, response.status < 500 && response.status >= 400]).toEqual([method, path, true])
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(method) } })
    }
  expect(await standing()).toEqual(before)
})

test('each kind’s example is accepted; without one required field, it is refused and the field is named', async () => {
  interface Body {
    readonly schema: {
      readonly oneOf: readonly {
        readonly title: string
        readonly properties: { readonly payload: { readonly required?: readonly string[] } }
      }[]
    }
    readonly examples: Readonly<Record<string, { readonly value: { readonly payload: Record<string, unknown> } }>>
  }
  const { paths } = await get<{
    paths: { '/api/events': { post: { requestBody: { content: { 'application/json': Body } } } } }
  }>('/api/openapi.json')
  const { schema, examples } = paths['/api/events'].post.requestBody.content['application/json']
  let removed = 0
  for (const kind of EVENT_KINDS) {
    const value = { ...examples[kind]?.value, session_id: `s-kept-${kind}` }
    expect([kind, (await post('/api/events', JSON.stringify(value))).status]).toEqual([kind, 200])
    const before = await standing()
    for (const field of schema.oneOf.find(({ title }) => title === kind)?.properties.payload.required ?? []) {
      const { [field]: _, ...payload } = examples[kind]?.value.payload ?? {}
      const { status, message } = await post('/api/events', JSON.stringify({ ...value, payload }))
      expect([kind, field, status]).toEqual([kind, field, 400])
      expect(message).toContain(`payload.${field} is missing`)
      expect(exampleIn(message)).toMatchObject({ kind, payload: { [field]: expect.anything() } })
      removed += 1
    }
    expect(await standing()).toEqual(before)
  }
  expect(removed).toBeGreaterThan(18)
  const unknown = await post('/api/events', JSON.stringify({ session_id: 's', kind: 'mood', payload: {} }))
  expect([unknown.status, unknown.message]).toEqual([400, expect.stringMatching(/kind: .*; for example \{.*"kind":"/)])
})
