import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { passingRules } from '../../../src/main/app-traffic.ts'
import { PassBy } from '../../../src/main/keeper/pass-by.ts'
import type { PortName } from '../../../src/main/keeper/protocol.ts'
import { configSchema } from '../../../src/shared/config.ts'

export interface PassByUnderTest extends AsyncDisposable {
  readonly passBy: PassBy
  readonly port: number
}

/** A keeper that never had an app for one of its ports, with the rules of these settings. */
export async function startPassBy(
  settings: unknown,
  { port: name = 'proxy', dataDir = '/nonexistent' }: { readonly port?: PortName; readonly dataDir?: string } = {},
): Promise<PassByUnderTest> {
  const passBy = new PassBy()
  passBy.follow(passingRules(configSchema.parse(settings), dataDir))
  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) =>
    passBy.take(name, socket),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    passBy,
    port,
    async [Symbol.asyncDispose]() {
      server.close()
      await passBy.idle()
    },
  }
}
