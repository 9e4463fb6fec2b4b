import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { reportUsage } from './usage.ts'

interface HttpProxy3 {
  createProxyServer(options: object): {
    on(event: 'error', listener: () => void): void
    web(request: IncomingMessage, response: ServerResponse): void
  }
}

/** `http-proxy-3` with keep-alive to the upstream. Arguments: its folder and the upstream's address. Prints its port. */
const [, , folder = '', upstream = ''] = process.argv
const { createProxyServer } = createRequire(`${folder}/`)('http-proxy-3') as HttpProxy3
const proxy = createProxyServer({ target: upstream, agent: new Agent({ keepAlive: true }), changeOrigin: true })
proxy.on('error', () => undefined)
const server = createServer((request, response) => proxy.web(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
reportUsage()
