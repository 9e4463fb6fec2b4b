import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ upstream: 'http://127.0.0.1:9' })
  await app.recorderRuns()
})
afterAll(() => app.close())

async function ask(path: string, { method = 'GET', body = '' } = {}) {
  const { hostname, port } = new URL(app.app)
  const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
  return { status: answer.statusCode, body: await text(answer) }
}

describe('a path that names nothing is not found, however long', () => {
  test.each([
    ['a view', `/${'a'.repeat(3000)}`],
    ['a file', `/assets/${'a'.repeat(300)}.js`],
    ['a longer file', `/assets/${'a'.repeat(1500)}.js`],
    ['many folders', `/${'a/'.repeat(1000)}x.js`],
    ['dots', `/${'../'.repeat(600)}etc/passwd.js`],
    ['an API address', `/api/${'a'.repeat(3000)}`],
    ['a session', `/api/sessions/${'a'.repeat(3000)}`],
    ['percent signs', `/api/sessions/${'%41'.repeat(1000)}`],
    ['16,000 characters', `/${'a'.repeat(16_000)}`],
    ['60,000 characters', `/${'a'.repeat(60_000)}`],
  ])('%s', async (_name, path) => {
    expect((await ask(path)).status).toBe(404)
  })

  test('one beyond any bound is refused', async () => {
    expect((await ask(`/${'a'.repeat(100_000)}`)).status).toBe(431)
    expect((await ask('/healthz')).status).toBe(200)
  })
})

describe('a NUL in what is asked for is a bad question, with its name', () => {
  test.each([
    ['/api/lifestats/recover?query=a%00b', 'bad_query', 'query'],
    ['/api/lifestats/recover?query=word&project=%00', 'bad_input', 'project'],
    ['/api/sessions/a%00b', 'bad_input', 'session_id'],
    ['/api/events?session_id=%00', 'bad_input', 'session_id'],
    ['/api/events/count?kind=%00', 'bad_input', 'kind'],
    ['/api/events/a%00b/chain', 'bad_input', 'uuid'],
  ])('%s', async (path, code, field) => {
    const { status, body } = await ask(path)
    expect(status).toBe(400)
    const { error } = JSON.parse(body) as { error: { code: string; message: string } }
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(new RegExp(`${field}.*NUL`))])
  })

  test('in a body, and in a list', async () => {
    const query = await ask('/api/recall.search', { method: 'POST', body: '{"query":"a\\u0000b"}' })
    expect([query.status, query.body]).toEqual([400, expect.stringContaining('bad_query')])
    const list = await ask('/api/sessions.events', { method: 'POST', body: '{"session_id":"s","kinds":["\\u0000"]}' })
    expect([list.status, list.body]).toEqual([400, expect.stringContaining('NUL')])
  })
})
