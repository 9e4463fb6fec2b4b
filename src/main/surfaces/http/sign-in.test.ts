import { expect, test } from 'vitest'
import type { Grant } from '../../dispatch/grant.ts'
import { createSignIn } from './sign-in.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

const owner: Grant = { key: 'owner-key', access: 'all', opens: () => true }
const changed: Grant = { ...owner, key: 'another-key' }

/** Signs in and returns the cookie as a browser sends it back. */
function signedIn(grants: readonly Grant[], now = () => 0): string {
  return createSignIn(grants, now).open('owner-key', 2780)?.split(';')[0] ?? ''
}
const grantOf = (cookie: string, grants: readonly Grant[], now = () => 0) =>
  createSignIn(grants, now).grantOfRequest(new Headers({ cookie }))

test('a session outlives a restart of the app, and ends when the key changes', () => {
  const cookie = signedIn([owner])
  expect(grantOf(cookie, [owner])).toBe(owner)
  expect(grantOf(cookie, [changed])).toBeNull()
})

test('a session ends after 30 days, and nobody can extend it', () => {
  const cookie = signedIn([owner])
  expect(grantOf(cookie, [owner], () => 30 * DAY_MS)).toBe(owner)
  expect(grantOf(cookie, [owner], () => 30 * DAY_MS + 1)).toBeNull()
  const [id, until, signature] = cookie.split('.')
  const extended = [id, String(Number(until) + DAY_MS), signature].join('.')
  for (const forged of [
    extended,
    `${id}.${until}`,
    `${id}..${signature}`,
    `${id}.9e99.${signature}`,
    'aspy_session_1=',
  ])
    expect(grantOf(forged, [owner])).toBeNull()
})
