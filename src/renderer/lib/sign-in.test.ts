import { expect, test } from 'vitest'
import { keyOfHash } from './sign-in.ts'

test('the key is read only from the hash of the printed link', () => {
  expect(keyOfHash('#key=abc_-123')).toBe('abc_-123')
  expect(keyOfHash('#key=')).toBeNull()
  expect(keyOfHash('#top')).toBeNull()
  expect(keyOfHash('')).toBeNull()
})
