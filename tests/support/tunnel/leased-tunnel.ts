import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { ADDING, fullVariables } from '../../../src/main/clients/claude-code/full/full-variables.ts'
import type { TestApp } from '../app/start-app.ts'
import { inTime } from '../runner/in-time.ts'

interface LeasedTunnel extends Disposable {
  /** Variables of a client in full mode. */
  readonly env: Readonly<Record<string, string>>
}

/** Admits a run of Claude Code to an app's tunnel until it is disposed of. */
export async function leaseTunnel(app: TestApp): Promise<LeasedTunnel> {
  const leaving = new AbortController()
  const key = createTunnelKey()
  const lease = app.running.dispatch.stream('tunnel.lease', { tunnel_key: key }, { access: 'all' }, leaving.signal)
  const batches = lease[Symbol.asyncIterator]()
  const { value } = await inTime('the lease is granted', batches.next())
  void batches.next()
  const { ca_file, hosts } = JSON.parse(new TextDecoder().decode(value?.json)) as { ca_file: string; hosts: string[] }
  const proxyUrl = app.tunnel.replace('http://', `http://aspy:${key}@`)
  return {
    env: fullVariables({}, { proxyUrl, hosts, files: { [ADDING]: ca_file } }),
    [Symbol.dispose]: () => leaving.abort(),
  }
}
