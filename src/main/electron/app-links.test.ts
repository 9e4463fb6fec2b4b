import { expect, test } from 'vitest'
import { addressOf, linkIn, parseAppLink } from './app-links.ts'

test('a link names a session, an event or a search', () => {
  expect(parseAppLink('aspy://session/0190-ab_c.d')).toEqual({ view: 'session', id: '0190-ab_c.d' })
  expect(parseAppLink('aspy://event/0190f3b2-7c1e-7000-8000-000000000001')).toEqual({
    view: 'event',
    uuid: '0190f3b2-7c1e-7000-8000-000000000001',
  })
  expect(parseAppLink('aspy://recall?q=why%20the%20cache%3F')).toEqual({ view: 'recall', query: 'why the cache?' })
  expect(parseAppLink('aspy://recall')).toEqual({ view: 'recall', query: '' })
})

test.each([
  '',
  'session/1',
  'https://session/1',
  'ASPY://session/1',
  ' aspy://session/1',
  'aspy:session/1',
  'aspy://session',
  'aspy://session/',
  'aspy://session/a/b',
  'aspy://session/..',
  'aspy://session/../settings',
  'aspy://session/./x',
  'aspy://session/..%2f..%2fsettings',
  'aspy://session/1?tab=x',
  'aspy://session/1#x',
  'aspy://session:80/1',
  'aspy://me@session/1',
  'aspy://session/a%20b',
  `aspy://session/${'x'.repeat(201)}`,
  'aspy://settings',
  'aspy://delete/1',
  'aspy://recall/x?q=a',
  'aspy://recall?q=a&run=1',
  'aspy://recall?q=a&q=b',
  'aspy://recall?x=a',
  'aspy://recall?q=a%0Ab',
  `aspy://recall?q=${'x'.repeat(501)}`,
  'app://aspy/settings',
  'javascript:alert(1)',
])('%s is ignored', (text) => {
  expect(parseAppLink(text)).toBeNull()
})

test('the last link in the arguments of a second start wins', () => {
  expect(linkIn(['/opt/aspy', '--hidden', 'aspy://session/1', 'aspy://settings', 'aspy://session/2'])).toEqual({
    view: 'session',
    id: '2',
  })
  expect(linkIn(['/opt/aspy', '--hidden'])).toBeNull()
})

test('a link resolves to an address of the window', async () => {
  const sessionOf = async (uuid: string) => (uuid === 'known' ? 's 1' : null)
  expect(await addressOf({ view: 'session', id: 'a-b' }, sessionOf)).toBe('/sessions/a-b')
  expect(await addressOf({ view: 'recall', query: 'a&b =' }, sessionOf)).toBe('/recall?q=a%26b+%3D')
  expect(await addressOf({ view: 'recall', query: '' }, sessionOf)).toBe('/recall')
  expect(await addressOf({ view: 'event', uuid: 'known' }, sessionOf)).toBe('/sessions/s%201?event=known')
  expect(await addressOf({ view: 'event', uuid: 'other' }, sessionOf)).toBe('/live')
})
