import { connect, createServer, type AddressInfo } from 'node:net'

/** A program that forwards connections to a port of this machine, and nothing else. Says its own port to its parent. */
const port = Number(process.argv[2])
const server = createServer({ noDelay: true }, (client) => {
  const there = connect({ port, host: '127.0.0.1', noDelay: true })
  client.pipe(there).pipe(client)
  client.on('error', () => there.destroy())
  there.on('error', () => client.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))
