import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proofOf } from '../../../src/main/base/proof.ts'
import { writeRunningNote } from '../../../src/main/base/running-note.ts'
import { findApp, send } from '../../../src/main/clients/claude-code/ask-app.ts'
import { createRemoteDispatch } from '../../../src/main/dispatch/remote-dispatch.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
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
  await expect(call()).rejects.toMatchObject({ code: 'unreachable' })
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

test('a hook sends its request on the proven connection, and closes it after the answer so that its process can end', async () => {
  using folder = makeTempFolder()
  const asked: string[] = []
  /** Connections that were proven, and requests on others. */
  const proven = new Set<number | undefined>()
  const elsewhere: string[] = []
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    asked.push(`${request.method} ${pathname} ${request.headers.authorization ?? ''}`)
    if (pathname === '/healthz/proof') proven.add(request.socket.remotePort)
    else if (!proven.has(request.socket.remotePort)) elsewhere.push(pathname)
    const challenge = { keyName: searchParams.get('key') ?? '', port, nonce: searchParams.get('nonce') ?? '' }
    if (pathname === '/healthz/proof') response.writeHead(204, { 'aspy-proof': proofOf('the-key', challenge) }).end()
    else response.end('{"said":"yes"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  writeFileSync(join(folder.path, 'hooks'), 'the-key\n')
  writeRunningNote(folder.path, { pid: process.pid, id: 'run', ports: { proxy: null, app: port } })
  const app = findApp(folder.path)
  expect(app).toMatchObject({ port, proxyPort: null })
  if (app === null) return
  const { signal } = new AbortController()
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  expect(await send({ app, path: '/api/hooks', keyName: 'hooks', body: '{}', signal })).toBe('{"said":"yes"}')
  expect(asked).toEqual(['GET /healthz/proof ', 'POST /api/hooks Bearer the-key'])
  expect(elsewhere).toEqual([])
  await until('the connection is closed', async () => (await open()) === 0)

  // Commands and the window keep their connections, and prove each.
  const dispatch = createRemoteDispatch({ appUrl: `http://127.0.0.1:${port}`, token: 'the-key' })
  for (let call = 0; call < 3; call += 1) await dispatch.call('stats.summary', {}, { access: 'all' })
  expect(asked.filter((request) => request === 'POST /api/stats.summary Bearer the-key')).toHaveLength(3)
  expect(elsewhere).toEqual([])
  server.closeAllConnections()
  server.close()
})
