import { expect, test } from 'vitest'
import { readRequestPath } from './request-path.ts'

const SECRET = `aspy-path-${'k'.repeat(43)}`
const STALE = `aspy-path-${'s'.repeat(43)}`
const check = { matches: (segment: string) => segment === SECRET }

test.each([
  [`/${SECRET}/v1/messages?beta=true`, '/v1/messages?beta=true', true],
  [`/${SECRET}/api/hello`, '/api/hello', true],
  [`/${SECRET}`, '/', true],
  [`/${SECRET}/`, '/', true],
  [`/${SECRET}?q=1`, '/?q=1', true],
  [`/${SECRET}//v1/messages`, '//v1/messages', true],
  // A foreign or former secret is removed too: it must not reach the upstream or the record.
  [`/${STALE}/v1/messages`, '/v1/messages', false],
  [`/${SECRET}x/v1/messages`, '/v1/messages', false],
  [`/${SECRET.slice(0, -1)}/v1/messages`, '/v1/messages', false],
  ['/v1/messages?beta=true', '/v1/messages?beta=true', false],
  ['/api/hello', '/api/hello', false],
  [`/v1/${SECRET}/messages`, `/v1/${SECRET}/messages`, false],
  ['/another/v1/messages', '/another/v1/messages', false],
  ['/', '/', false],
])('%s is forwarded as %s', (sent, path, isProven) => {
  expect(readRequestPath(sent, check)).toEqual({ path, isProven, upstream: null, run: null })
})

test('without a secret to compare with, nobody is proven or unproven, and a segment of our form is still removed', () => {
  expect(readRequestPath('/v1/messages', null)).toEqual({
    path: '/v1/messages',
    isProven: null,
    upstream: null,
    run: null,
  })
  expect(readRequestPath(`/${STALE}/v1/messages`, null)).toEqual({
    path: '/v1/messages',
    isProven: null,
    upstream: null,
    run: null,
  })
})

test.each([
  [`/${SECRET}/aspy-to-12ab/v1/messages?beta=true`, '/v1/messages?beta=true', true],
  [`/${STALE}/aspy-to-12ab/openai/v1/responses`, '/openai/v1/responses', false],
  ['/aspy-to-12ab', '/', false],
])('%s names an upstream of its own', (sent, path, isProven) => {
  expect(readRequestPath(sent, check)).toEqual({ path, isProven, upstream: '12ab', run: null })
})

test.each([
  [`/${SECRET}/aspy-run-34cd/v1/messages?beta=true`, '/v1/messages?beta=true', null],
  [`/${SECRET}/aspy-to-12ab/aspy-run-34cd/openai/v1/responses`, '/openai/v1/responses', '12ab'],
])('%s names a run of a client', (sent, path, upstream) => {
  expect(readRequestPath(sent, check)).toEqual({ path, isProven: true, upstream, run: '34cd' })
})
