import { createProxy, type Proxy } from '../../../src/main/proxy/proxy.ts'
import type { Tap } from '../../../src/main/proxy/tap.ts'
import { createByteUpstream, type ByteUpstream, type RawExchange } from './byte-upstream.ts'

export const silentLogger = { debug: () => undefined, warn: () => undefined }

export interface ProxyUnderTest extends AsyncDisposable {
  readonly proxy: Proxy
  readonly port: number
  readonly upstream: ByteUpstream
}

/** A scripted upstream with a proxy in front; both close with the test's scope. */
export async function startProxy(
  serve: (exchange: RawExchange) => Promise<void>,
  options: { readonly tap?: Tap | null; readonly path?: string; readonly allowedHosts?: readonly string[] } = {},
): Promise<ProxyUnderTest> {
  const upstream = await createByteUpstream(serve)
  const proxy = createProxy({
    port: 0,
    upstream: new URL(options.path ?? '/', upstream.url),
    tap: options.tap ?? null,
    allowedHosts: options.allowedHosts ?? [],
    logger: silentLogger,
  })
  const { port } = await proxy.listen()
  return {
    proxy,
    port,
    upstream,
    async [Symbol.asyncDispose]() {
      await proxy.close(0)
      await upstream.close()
    },
  }
}
