import { expect, test } from 'vitest'
import { changesClassOften, isDigest, looksRandom, wordShare } from './strength.ts'

test.each(['q7Zt2Xk9Lm4Rw8Vp', '8f3kd92hs7ql1z0x', 'Wk3-pL9_xT5.zQ7v'])('%s looks random', (text) => {
  expect(looksRandom(text)).toBe(true)
})

test.each([
  ['customerAccountNumber', 'words'],
  ['correct-horse-battery-staple', 'words'],
  ['abcdefghijklmnop', 'counts'],
  ['0123456789abcdef', 'counts'],
  ['a1a1a1a1a1a1', 'has two characters'],
  ['q7Zt2X', 'is too short'],
])('%s does not look random: it %s', (text) => {
  expect(looksRandom(text)).toBe(false)
})

test.each([
  '123e4567-e89b-12d3-a456-426614174000',
  '123E4567-E89B-12D3-A456-426614174000',
  'sha256:9f86d081884c7d65',
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg==',
  'md5:d41d8cd98f00b204',
])('%s is a digest', (text) => {
  expect(isDigest(text)).toBe(true)
})

test.each(['123e4567-e89b-12d3-a456-42661417400g', 'x-123e4567-e89b-12d3-a456-426614174000', 'sha:abc', 'md6-abc'])(
  '%s is not a digest',
  (text) => {
    expect(isDigest(text)).toBe(false)
  },
)

test('the share of letters in words runs from random to words', () => {
  expect(wordShare('')).toBe(0)
  expect(wordShare('----')).toBe(0)
  expect(wordShare('password')).toBe(1)
  expect(wordShare('pass1234')).toBe(0.5)
  expect(changesClassOften('parseHtml5Document')).toBe(false)
  expect(changesClassOften('a1B2c3D4')).toBe(true)
})
