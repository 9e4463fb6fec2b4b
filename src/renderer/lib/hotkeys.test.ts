import { expect, test } from 'vitest'
import { keyName } from './hotkeys.ts'

test('Cmd and Ctrl have the same name; Alt has its own', () => {
  const press = { key: 'K', ctrlKey: false, metaKey: false, altKey: false }
  expect(keyName({ ...press, ctrlKey: true })).toBe('mod+k')
  expect(keyName({ ...press, metaKey: true })).toBe('mod+k')
  expect(keyName({ ...press, altKey: true })).toBe('alt+K')
  expect(keyName({ ...press, key: '?' })).toBe('?')
})
