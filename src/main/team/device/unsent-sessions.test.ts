import { expect, test } from 'vitest'
import { configSchema, type ConfigInput } from '../../../shared/config.ts'
import { createGlob } from '../../pipeline/processors/glob.ts'
import { createKeyedIds } from '../protocol/keyed-ids.ts'
import { createPolicy } from '../protocol/team-policy.ts'
import type { TeamClient } from './team-client.ts'
import { loweredSessions, unsentSessions, withdrawSessions } from './unsent-sessions.ts'

const IDS = createKeyedIds(Buffer.alloc(32, 1))
const team = (settings: ConfigInput['team']) => configSchema.parse({ team: settings }).team
const SETTINGS = team({
  policy: 'metadata',
  exclude: ['secret', 'private'],
  projects: [
    { project: '/work/shop', policy: 'full', name: 'shop', shared: true },
    { project: '/work/**', policy: 'off' },
    { project: '/work/late', policy: 'full' },
  ],
})
const SESSIONS = [
  { id: 'shop', project: '/work/shop' },
  { id: 'private', project: '/work/shop/till' },
  { id: 'other', project: '/work/late' },
  { id: 'home', project: '/home/ann' },
  { id: 'nowhere', project: null },
]

test('the first pattern that matches decides, else the policy of all; what is left out is so in every project', () => {
  const policyOf = createPolicy(SETTINGS, createGlob, IDS)
  const shop = { policy: 'full', name: 'shop', shared: true }
  expect(policyOf('shop', '/work/shop')).toEqual(shop)
  expect(policyOf('secret', '/work/shop')).toEqual({ policy: 'off', name: '', shared: false })
  expect(policyOf('private', '/home/ann')).toMatchObject({ policy: 'off' })
  expect(policyOf('shop', '/work/shop')).toEqual(shop)
  expect(policyOf('other', '/work/late')).toMatchObject({ policy: 'off', shared: false })
  const named = expect.stringMatching(/^project-[0-9a-f]{8}$/)
  expect(policyOf('home', '/home/ann')).toEqual({ policy: 'metadata', name: named, shared: false })
  expect(policyOf('home', '/home/bob').name).not.toBe(policyOf('home', '/home/ann').name)
  expect(policyOf('nowhere', null)).toEqual({ policy: 'metadata', name: '', shared: false })
})

test('sessions of projects that are off and those left out are not sent, and the others are', () => {
  expect(unsentSessions(SETTINGS, createGlob, IDS, SESSIONS)).toEqual(['private', 'other'])
})

test('a session is lowered by what it was before, and none by a higher policy', () => {
  const lowered = (before: typeof SETTINGS, after: typeof SETTINGS) =>
    loweredSessions(before, after, createGlob, IDS, SESSIONS)
  expect(lowered(team({ policy: 'full' }), SETTINGS)).toEqual({ off: 2, metadata: 2 })
  expect(lowered(SETTINGS, team({ policy: 'full' }))).toEqual({ off: 0, metadata: 0 })
  expect(lowered(team({ policy: 'off' }), SETTINGS)).toEqual({ off: 0, metadata: 0 })
})

test('many sessions are withdrawn in several requests, all of them', async () => {
  const asked: (readonly string[])[] = []
  const client = {
    withdraw: async (keys: readonly string[]) => asked.push(keys) && keys.length,
  } as unknown as TeamClient
  const sessions = Array.from({ length: 2001 }, (_, at) => `s${at}`)
  expect(await withdrawSessions(client, IDS, sessions)).toBe(2001)
  expect(asked.map(({ length }) => length)).toEqual([1000, 1000, 1])
  expect(new Set(asked.flat())).toEqual(new Set(sessions.map((id) => IDS.id('session', id))))
})
