import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

test.each([
  ['', 'Asia/Tokyo'],
  ['?history=team', 'UTC'],
])('days of costs, with the address %j: %s', async (search, zone) => {
  vi.stubGlobal('location', { search, href: `http://localhost/${search}`, origin: 'http://localhost' })
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const { costsZone } = await import('./queries.ts')
  expect(costsZone()).toBe(zone)
  vi.unstubAllEnvs()
})
