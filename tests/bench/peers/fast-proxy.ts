import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { reportUsage } from './usage.ts'

type FastProxy = (options: object) => {
  proxy(request: IncomingMessage, response: ServerResponse, url: string, options: object): void
}

/** `fast-proxy` over undici, as it recommends. Arguments: its folder and the upstream's address. Prints its port. */
const [, , folder = '', upstream = ''] = process.argv
const { proxy } = (createRequire(`${folder}/`)('fast-proxy') as FastProxy)({
  base: upstream,
  undici: { connections: 256, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 },
})
const server = createServer((request, response) => proxy(request, response, request.url ?? '/', {}))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
reportUsage()
