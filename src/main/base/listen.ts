import type { Server } from 'node:net'
import { AspyError } from '../../shared/contract/errors.ts'

/**
 * Has a server serve a port on 127.0.0.1; 0 picks a free one. Returns the port. Throws `port_taken`, whose message ends with
 * `advice`.
 */
export type Listen = (server: Server, port: number, advice: string) => Promise<number>

/** Binds the port in this process. */
export const listen: Listen = async (server, port, advice) => {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES'
      reject(isTaken ? new AspyError('port_taken', `port ${port} is taken; ${advice}`, { cause: error }) : error)
    }
    server.once('error', refuse)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', refuse)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address.port
}
