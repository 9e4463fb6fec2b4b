import { expect, test } from 'vitest'
import { isOwnPage, isTrustedSender } from './trusted-sender.ts'

test('only the main frame of our own page is trusted', () => {
  expect(isTrustedSender({ url: 'app://aspy/live', parent: null })).toBe(true)
  expect(isTrustedSender({ url: 'app://aspy/live', parent: {} })).toBe(false)
  expect(isTrustedSender(null)).toBe(false)
})

test.each([
  'https://aspy/',
  'app://evil/',
  'app://aspy.evil/',
  'app://user@aspy/',
  'data:text/html,app://aspy/',
  'about:blank',
  'file:///app/aspy',
  '',
])('%s is not our page', (address) => {
  expect(isOwnPage(address)).toBe(false)
})
