import { expect, test } from 'vitest'
import { hasRight, mayLoad } from './page-rights.ts'

test('our own page may write to the clipboard, and nothing else', () => {
  expect(hasRight('clipboard-sanitized-write', 'app://aspy/recall')).toBe(true)
  expect(hasRight('clipboard-sanitized-write', 'https://evil.example/')).toBe(false)
  expect(hasRight('clipboard-sanitized-write', '')).toBe(false)
  const refused =
    'clipboard-read media geolocation notifications midi hid serial usb display-capture openExternal fullscreen'
  for (const permission of refused.split(' ')) expect(hasRight(permission, 'app://aspy/')).toBe(false)
})

test.each(['app://aspy/assets/a.js', 'data:image/png;base64,AA', 'blob:app://aspy/1'])(
  '%s may be loaded',
  (address) => {
    expect(mayLoad(address, true)).toBe(true)
  },
)

test.each([
  'https://example.org/a.js',
  'http://127.0.0.1:2780/api/health.get',
  'file:///etc/passwd',
  'app://other/a.js',
  'blob:https://example.org/1',
  'ws://127.0.0.1/',
  'devtools://devtools/bundled/a.js',
])('%s may not', (address) => {
  expect(mayLoad(address, true)).toBe(false)
})

test('a build that is not packaged may open developer tools', () => {
  expect(mayLoad('devtools://devtools/bundled/a.js', false)).toBe(true)
})
