import { AspyError } from '../../shared/contract/errors.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { takenPorts, type TakenPort } from '../config/taken-ports.ts'

/** Returns the ports of the defaults that other programs use. Throws `port_taken`, naming all, if a person chose some of them. */
export async function takenDefaults({ config, origins, sources }: LoadedConfig): Promise<readonly TakenPort[]> {
  const taken = await takenPorts(config)
  const chosen = taken.filter(({ key }) => origins.get(key) !== 'default')
  if (chosen.length > 0) throw new AspyError('port_taken', takenText(chosen, sources.file))
  return taken
}

/** Throws `port_taken` if other programs use ports of the settings, naming all. */
export async function refuseTakenPorts({ config, sources }: LoadedConfig): Promise<void> {
  const taken = await takenPorts(config)
  if (taken.length > 0) throw new AspyError('port_taken', takenText(taken, sources.file))
}

function takenText(taken: readonly TakenPort[], file: string): string {
  const ports = taken.map(({ port, setting, key }) => `port ${port} ([${setting}] ${key.slice(setting.length + 1)})`)
  const flags = taken.map(({ flag }) => `${flag} N`).join(' ')
  return `${ports.join(' and ')} ${taken.length === 1 ? 'is' : 'are'} taken; choose another with ${flags}, or in ${file}`
}

/** Says which free ports an app has in place of taken ones. `hasHooks`: setup wrote the usual port of the app into hooks. */
export function otherPortsText(
  taken: readonly TakenPort[],
  ports: { readonly app: number; readonly proxy: number | null; readonly tunnel?: number },
  hasHooks: boolean,
): string {
  const has = { 'app.port': ports.app, 'proxy.port': ports.proxy, 'proxy.tunnel_port': ports.tunnel }
  const names = { 'app.port': 'dashboard', 'proxy.port': 'proxy', 'proxy.tunnel_port': 'tunnel' }
  const parts = taken.map(({ key, port }) => `${names[key]} ${has[key] ?? 'off'}, since another program uses ${port}`)
  const isMissed = hasHooks && taken.some(({ key }) => key === 'app.port')
  const hooks = isMissed ? ' Its hooks do not: choose a port with aspy config set app.port N, then run aspy setup.' : ''
  return `aspy: this Aspy has other ports than usual: ${parts.join('; ')}. Commands on this folder find it.${hooks}`
}
