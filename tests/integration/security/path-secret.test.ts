import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotatePathSecret } from '../../../src/main/base/path-secret.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** The base URL that clients get: with a path secret that nobody but the proxy may learn. */
describe('the path secret', () => {
  let folder: TempFolder
  let upstream: MessagesUpstream
  let app: TestApp
  let secret: string
  const feed: string[] = []
  const leaving = new AbortController()

  beforeAll(async () => {
    folder = makeTempFolder('aspy-path-')
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer.' }] }))
    app = await startApp({ upstream: upstream.url, dataDir: folder.path, settings: { 'session_log.enabled': true } })
    secret = readFileSync(join(folder.path, 'path-secret'), 'utf8').trim()
    const headers = { authorization: `Bearer ${app.token}` }
    const live = await fetch(`${app.app}/api/live`, { headers, signal: leaving.signal })
    void (async () => {
      for await (const bytes of live.body ?? []) feed.push(Buffer.from(bytes as Uint8Array).toString('latin1'))
    })().catch(() => undefined)
  })
  afterAll(async () => {
    leaving.abort()
    await app.close()
    await upstream.close()
    folder.remove()
  })

  const asked = async (base: string, prompt: string, session = randomUUID()) => {
    const response = await ask(base, { prompt, session })
    expect(response.status).toBe(200)
    await response.text()
    await until(
      'the answer is recorded',
      async () => (await app.count({ kind: 'model_response', session_id: session })) > 0,
    )
    return session
  }
  const marks = () => {
    const db = new Database(join(folder.path, 'lifestats.db'), { readonly: true })
    try {
      const rows = db.prepare<[], { id: string; unproven_sender: number | null }>(
        'SELECT id, unproven_sender FROM sessions',
      )
      return new Map(rows.all().map(({ id, unproven_sender }) => [id, unproven_sender]))
    } finally {
      db.close()
    }
  }

  test('is taken off before a request is forwarded, and tells clients of ours from other senders', async () => {
    const before = upstream.requests.length
    const ours = await asked(`${app.proxy}/${secret}`, 'With the secret')
    const bare = await asked(app.proxy, 'Without the secret')
    const foreign = await asked(
      `${app.proxy}/${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
      'A wrong secret',
    )
    expect(upstream.requests.slice(before).map(({ path }) => path)).toEqual(Array(3).fill('/v1/messages?beta=true'))
    const found = marks()
    expect([found.get(ours), found.get(bare), found.get(foreign)]).toEqual([null, 1, 1])
    await until('Health counts them', async () => (await app.running.health()).unproven_sessions === 2)
  })

  test('is not taken for a path of the upstream, and other paths reach it unchanged', async () => {
    const before = upstream.requests.length
    for (const path of ['/another/v1/models', '/api/hello', `/${secret}`, `/${secret}/api/hello`])
      await (await fetch(`${app.proxy}${path}`)).text()
    expect(upstream.requests.slice(before).map(({ path }) => path)).toEqual([
      '/another/v1/models',
      '/api/hello',
      '/',
      '/api/hello',
    ])
  })

  test('is redacted where a command prints it, and is in no file, feed or answer', async () => {
    const session = await asked(
      `${app.proxy}/${secret}`,
      `printed ANTHROPIC_BASE_URL=${app.proxy}/${secret} and ${secret}`,
    )
    const exported = JSON.stringify(await app.call('events.export', { session_id: session }))
    expect(exported).toMatch(
      /printed ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/\[redacted:aspy-path-secret:[0-9a-f]{4}\]/,
    )
    expect(JSON.stringify([exported, await app.running.health(), await app.call('events.list')])).not.toContain(secret)
    await until('the feed told of it', async () => feed.join('').includes('redacted:aspy-path-secret'))
    expect(feed.join('')).not.toContain(secret)
    const found = secretsIn(folder.path, [secret]).filter((hit) => !hit.startsWith('path-secret:'))
    expect(found).toEqual([])
  })

  test('can be rotated while the app runs; a client that started before keeps working, unproven', async () => {
    const fresh = rotatePathSecret(folder.path)
    await until('the app accepts the new secret', async () => {
      const session = await asked(`${app.proxy}/${fresh}`, 'Fresh')
      return marks().get(session) === null
    })
    const before = upstream.requests.length
    const stale = await asked(`${app.proxy}/${secret}`, 'With the old secret')
    expect(upstream.requests.slice(before).map(({ path }) => path)).toEqual(['/v1/messages?beta=true'])
    expect(marks().get(stale)).toBe(1)
  })
})
