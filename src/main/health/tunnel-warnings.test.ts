import { expect, test } from 'vitest'
import { tunnelWarnings } from './tunnel-warnings.ts'

const warningsOf = (handshakes_failed: Record<string, number>) =>
  tunnelWarnings({
    hosts: ['api.anthropic.com'],
    open: 0,
    opened: 9,
    intercepted: 9,
    refused: {},
    handshakes_failed,
    ca_expires_at: null,
  })

test('clients that do not trust the tunnel are a warning, those that left are not', () => {
  expect(warningsOf({ 'the client closed the connection': 3, ECONNRESET: 1 })).toEqual([])
  expect(warningsOf({ 'it took too long': 13, ECONNRESET: 1 })).toMatchObject([
    { code: 'tunnel_untrusted', message: expect.stringContaining('(14 times)') },
  ])
  expect(warningsOf({ ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 2, ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 1 })).toMatchObject([
    { code: 'tunnel_untrusted', message: expect.stringMatching(/api\.anthropic\.com \(3 times\)/), isSevere: false },
  ])
})
