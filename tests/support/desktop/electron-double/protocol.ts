import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `protocol.handle`: each scheme is answered on a loopback host name of its own, since Chromium knows only http. */

interface Mapped {
  readonly handler: (request: Request) => Response | Promise<Response>
  readonly server: Server
  port: Promise<number>
}
const schemes = new Map<string, Mapped>()

export const protocol = {
  registerSchemesAsPrivileged(_schemes: unknown): void {},
  handle(scheme: string, handler: Mapped['handler']): void {
    if (schemes.has(scheme)) throw new Error(`scheme ${scheme} is handled already`)
    const server = createServer((request, response) => {
      const host = (request.headers.host ?? '').split('.')[0] ?? ''
      void Promise.resolve(
        handler(new Request(`${scheme}://${host}${request.url ?? '/'}`, { method: request.method ?? 'GET' })),
      )
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers))
          response.end(new Uint8Array(await answer.arrayBuffer()))
        })
        .catch((error: unknown) => {
          response.writeHead(500).end(String(error))
        })
    })
    const port = new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
    schemes.set(scheme, { handler, server, port })
  },
  unhandle(scheme: string): void {
    schemes.get(scheme)?.server.close()
    schemes.delete(scheme)
  },
}

export function stopProtocols(): void {
  for (const { server } of schemes.values()) {
    server.close()
    server.closeAllConnections()
  }
}

/** `app://aspy/live` → `http://aspy.app.localhost:PORT/live`, as Chromium is asked to load it. */
export async function toChromium(address: string): Promise<string> {
  const url = new URL(address)
  const mapped = schemes.get(url.protocol.slice(0, -1))
  if (mapped === undefined) return address
  return `http://${url.host}.${url.protocol.slice(0, -1)}.localhost:${await mapped.port}${url.pathname}${url.search}${url.hash}`
}

/** The way back: what the app believes the address of a frame to be. */
export function fromChromium(address: string): string {
  const match = /^http:\/\/([^./]+)\.([a-z]+)\.localhost:\d+(.*)$/.exec(address)
  return match === null || !schemes.has(match[2] ?? '') ? address : `${match[2]}://${match[1]}${match[3]}`
}
