import { Server as TlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { createBoundedServer } from './bounded-server.ts'

test('a certificate that cannot be read is refused, and not answered without TLS', () => {
  const certificate = { cert: Buffer.alloc(0), key: Buffer.alloc(0) }
  expect(() => createBoundedServer(() => new Response(''), undefined, certificate)).toThrow('PEM')
  expect(createBoundedServer(() => new Response(''))).not.toBeInstanceOf(TlsServer)
})
