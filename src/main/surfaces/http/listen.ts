import type { Server } from 'node:net'
import { AspyError } from '../../../shared/contract/errors.ts'

/** Listens on 127.0.0.1. Returns the port. Throws `port_taken`, whose message ends with `advice`. */
export async function listen(server: Server, port: number, advice: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES'
      reject(isTaken ? new AspyError('port_taken', `port ${port} is taken; ${advice}`, { cause: error }) : error)
    })
    server.listen(port, '127.0.0.1', () => resolve())
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address.port
}
