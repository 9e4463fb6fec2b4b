import { expect, test } from 'vitest'
import { upstreamFailure } from './upstream-failure.ts'

const ORIGIN = 'https://api.example'
const coded = (code: string, message = 'it failed') => Object.assign(new Error(message), { code })
const failure = (error: Error, wasConnected = false) => upstreamFailure(ORIGIN, error, wasConnected)

test('a failure names its code, what was said and what to do', () => {
  expect(failure(coded('ECONNREFUSED'))).toMatchObject({
    status: 502,
    message: expect.stringMatching(
      /^Aspy could not reach https:\/\/api\.example \(ECONNREFUSED: it failed\)\. Check the address/,
    ),
  })
  expect(failure(new Error('odd')).message).toContain('(odd). Check the network, the address')
  expect(failure(new Error('Proxy response (407) when HTTP Tunneling')).message).toContain('wants a login')
})

test('of several addresses that failed, the first failure counts', () => {
  const all = new AggregateError([coded('ENETUNREACH'), coded('ETIMEDOUT')], 'all failed')
  expect(failure(all).message).toContain('ENETUNREACH')
})

test('only what every attempt would find again asks the client not to retry', () => {
  const lasting = (error: Error, wasConnected = false) => failure(error, wasConnected).isLasting === true
  expect(['CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER'].map((code) => lasting(coded(code)))).toEqual([true, true])
  expect(lasting(new Error('Proxy response (403) when HTTP Tunneling'))).toBe(true)
  expect([lasting(coded('ECONNREFUSED')), lasting(new Error('Proxy response (502) x'))]).toEqual([false, false])
  expect(lasting(coded('CERT_HAS_EXPIRED'), true)).toBe(false)
  expect(failure(coded('ECONNRESET'), true).message).toContain('but the connection closed before a response arrived')
})
