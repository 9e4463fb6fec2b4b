import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createNonce, isNonce, isProof, proofOf, type Challenge } from './proof.ts'

const challenge: Challenge = { keyName: 'token', port: 2780, nonce: 'n'.repeat(43) }

test('a proof is a MAC of role, key, address and nonce', () => {
  const claim = `aspy-proof-1\napp\ntoken\n127.0.0.1:2780\n${'n'.repeat(43)}`
  const expected = createHmac('sha256', 'the key').update(claim).digest('base64url')
  expect(proofOf('the key', challenge)).toBe(expected)
  expect(isProof(expected, 'the key', challenge)).toBe(true)
})

test.each<[string, Partial<Challenge>]>([
  ['another port', { port: 2781 }],
  ['another key', { keyName: 'hooks' }],
  ['another nonce', { nonce: 'm'.repeat(43) }],
])('a proof for %s is none', (_name, other) => {
  expect(isProof(proofOf('the key', { ...challenge, ...other }), 'the key', challenge)).toBe(false)
})

test('nothing else is a proof', () => {
  for (const answer of ['', challenge.nonce, 'the key', 'é'.repeat(43), 'x'.repeat(43)])
    expect(isProof(answer, 'the key', challenge)).toBe(false)
})

test('nonces are fresh and have one form', () => {
  expect(createNonce()).not.toBe(createNonce())
  expect(isNonce(createNonce())).toBe(true)
  for (const text of ['', 'short', `${'n'.repeat(43)}\n`, 'n'.repeat(44), '+'.repeat(43)])
    expect(isNonce(text)).toBe(false)
})
