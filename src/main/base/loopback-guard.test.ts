import { describe, expect, test } from 'vitest'
import { isAllowedHost, isOwnOrigin } from './loopback-guard.ts'

describe('the Host of a request to a loopback port', () => {
  test.each(['127.0.0.1:2779', 'localhost:2779', 'LocalHost:2779', '[::1]:2779'])('%s is served', (host) => {
    expect(isAllowedHost(host, 2779)).toBe(true)
  })

  test.each([
    undefined,
    '',
    '127.0.0.1',
    'localhost',
    '127.0.0.1:2780',
    'localhost:27790',
    'localhost.:2779',
    'evil.example:2779',
    '127.0.0.1.evil.example:2779',
    'localhost.evil.example:2779',
    'evil.example#127.0.0.1:2779',
    'user@127.0.0.1:2779',
    '0.0.0.0:2779',
    '::1:2779',
    '127.0.0.1:2779, evil.example',
    ' 127.0.0.1:2779',
  ])('%j is refused', (host) => {
    expect(isAllowedHost(host, 2779)).toBe(false)
  })

  test('a browser omits port 80', () => {
    expect(isAllowedHost('127.0.0.1', 80)).toBe(true)
    expect(isAllowedHost('evil.example', 80)).toBe(false)
  })

  test('the settings can allow more names', () => {
    const allowed = ['Aspy.tunnel.example:443', 'host.docker.internal:2779']
    expect(isAllowedHost('host.docker.internal:2779', 2779, allowed)).toBe(true)
    expect(isAllowedHost('aspy.tunnel.example:443', 2779, allowed)).toBe(true)
    expect(isAllowedHost('aspy.tunnel.example', 2779, allowed)).toBe(false)
    expect(isAllowedHost('sub.host.docker.internal:2779', 2779, allowed)).toBe(false)
  })
})

describe('the Origin of a request to the app port', () => {
  test.each(['http://127.0.0.1:2780', 'http://localhost:2780', 'http://[::1]:2780'])('%s is our own page', (origin) => {
    expect(isOwnOrigin(origin, 2780)).toBe(true)
  })

  test.each([
    'null',
    '',
    'https://127.0.0.1:2780',
    'http://127.0.0.1:2779',
    'http://evil.example',
    'http://127.0.0.1:2780.evil.example',
    'http://127.0.0.1:2780/',
    'chrome-extension://127.0.0.1:2780',
  ])('%j is foreign', (origin) => {
    expect(isOwnOrigin(origin, 2780)).toBe(false)
  })

  test('a tunnel may terminate TLS for an allowed name', () => {
    expect(isOwnOrigin('https://aspy.example:8443', 2780, ['aspy.example:8443'])).toBe(true)
    expect(isOwnOrigin('http://aspy.example:8443', 2780, ['aspy.example:8443'])).toBe(true)
    expect(isOwnOrigin('https://other.example:8443', 2780, ['aspy.example:8443'])).toBe(false)
  })
})
