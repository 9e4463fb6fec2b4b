import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { localZone } from '../../../shared/wall-time.ts'
import { writeMembership } from './membership-file.ts'
import { ownTeam } from './own-team.ts'

afterEach(() => vi.unstubAllGlobals())

test('dates in a question to the team are of this device, not of the server', async () => {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', (url: string, { body }: { body: string }) => {
    asked.push([new URL(url).pathname, JSON.parse(body)])
    return Promise.resolve(Response.json({ token: 't', expires_at: '2099-01-01T00:00:00Z' }))
  })
  const folder = mkdtempSync(join(tmpdir(), 'own-team-'))
  writeMembership(folder, {
    url: 'http://127.0.0.1:1',
    target_id: 't',
    device_id: 'd',
    device_token: 'd',
    hash_key: 'h',
    member: 'm',
    role: 'member',
    joined_at: '2026-01-01T00:00:00.000Z',
  } as never)
  const { client } = ownTeam(folder)
  await client.call('sessions.list', { since: '4 March' })
  await client.call('sessions.list', { since: '4 March', tz: 'Asia/Kolkata' })
  await client.call('sessions.get', { session_id: 's' })
  expect(asked.slice(1)).toEqual([
    ['/api/sessions.list', { since: '4 March', tz: localZone() }],
    ['/api/sessions.list', { since: '4 March', tz: 'Asia/Kolkata' }],
    ['/api/sessions.get', { session_id: 's' }],
  ])
})
