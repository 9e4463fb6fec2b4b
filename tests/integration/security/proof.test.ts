import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRemoteDispatch } from '../../../src/main/dispatch/remote-dispatch.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { claimsToBe, startFakeApp } from '../../support/security/fake-app.ts'

const NONCE = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'

describe('GET /healthz/proof', () => {
  test.each(['token', 'hooks', 'mcp', 'metrics'])('proves that the app knows the key "%s"', async (name) => {
    using folder = makeTempFolder()
    await using app = await startApp({ upstream: 'http://127.0.0.1:1', dataDir: folder.path })
    const answer = await fetch(`${app.app}/healthz/proof?key=${name}&nonce=${NONCE}`)
    const key = readFileSync(join(folder.path, name), 'utf8').trim()
    const claim = ['aspy-proof-1', 'app', name, new URL(app.app).host, NONCE].join('\n')
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(answer.headers.get('aspy-proof')).toBe(createHmac('sha256', key).update(claim).digest('base64url'))
  })

  test('answers no other question, host or page', async () => {
    await using app = await startApp({ upstream: 'http://127.0.0.1:1' })
    const status = async (query: string, headers: Record<string, string> = {}) =>
      (await fetch(`${app.app}/healthz/proof${query}`, { headers })).status
    for (const query of [
      '',
      `?nonce=${NONCE}`,
      '?key=token',
      `?key=token&nonce=${NONCE}x`,
      `?key=path-secret&nonce=${NONCE}`,
    ])
      expect(await status(query), query).toBe(400)
    expect(await status(`?key=token&nonce=${NONCE}`, { origin: 'http://evil.example' })).toBe(403)
  })
})

test('a caller that was connected sends nothing to a program that took the port of its app', async () => {
  using folder = makeTempFolder()
  const app = await startApp({ upstream: 'http://127.0.0.1:1', dataDir: folder.path })
  const dispatch = createRemoteDispatch({ appUrl: app.app, token: app.token })
  const call = async () =>
    JSON.parse(Buffer.from(await dispatch.call('stats.summary', {}, { access: 'all' })).toString())
  expect(await call()).toMatchObject({ total_sessions: 0 })
  await app.close()
  await expect(call()).rejects.toMatchObject({ code: 'gone' })
  await using fake = await startFakeApp(claimsToBe(app.id), Number(new URL(app.app).port))
  await expect(call()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/nothing was sent to it/),
  })
  expect(fake.connections()).toBe(1)
  expect(fake.received()).toMatch(
    /^GET \/healthz\/proof\?key=token&nonce=[\w-]{43} HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n\r\n$/,
  )
})
