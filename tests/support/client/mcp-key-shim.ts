import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface McpKeyShim extends AsyncDisposable {
  /** Where the MCP endpoint is found without a key. */
  readonly url: string
}

/**
 * Adds the key to what goes to an MCP endpoint, for suites that know of none: the product has no open mode. All else
 * passes as it is; where a Host or Origin names the shim's own port it becomes the endpoint's, so that foreign ones stay
 * foreign.
 */
export async function startMcpKeyShim(endpoint: string, key: string): Promise<McpKeyShim> {
  const target = new URL(endpoint)
  const server = createServer((incoming, response) => {
    const { port } = server.address() as AddressInfo
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` }
    for (const name of ['host', 'origin'] as const) {
      const value = headers[name]
      if (value !== undefined) headers[name] = value.replace(`:${port}`, `:${target.port}`)
    }
    const { method, url: path } = incoming
    const onward = request(
      { host: target.hostname, port: target.port, method, path, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        answer.pipe(response)
      },
    )
    onward.on('error', (error) =>
      response.headersSent ? response.destroy() : response.writeHead(502).end(String(error)),
    )
    response.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
