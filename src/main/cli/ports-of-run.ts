import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { createDataDir } from '../base/data-folder.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { createSettingsInForce, NO_FOLLOWERS } from '../config/settings-in-force.ts'
import { freePort, portsOf, takenPorts, type TakenPort } from '../config/taken-ports.ts'
import type { RunningNote } from '../base/running-note.ts'
import { askKeeper } from '../keeper/control.ts'
import type { RunSettings } from './settings-of-run.ts'
import { sayAside } from './wrap.ts'

/** Another command that looks at a port takes it for a moment: it counts as taken if it still is after this time in ms. */
const AGAIN_MS = 100

/** The settings of an app whose ports no other program uses. */
interface SteadyPorts {
  readonly loaded: LoadedConfig
  /** Ports that are taken, and for which none could be chosen that lasts. */
  readonly left: readonly TakenPort[]
  /** Ports in whose place the config file has others from now on. */
  readonly moved: readonly TakenPort['key'][]
}

/**
 * Chooses free ports in place of those that nobody chose and other programs use, once and for all: it writes them to the config
 * file of the folder, and says so. A file that a person names may belong to several folders, so it stays as it is. Throws
 * `port_taken`, naming all, if a person chose some of them; then nothing has changed. Only looks at `keys`.
 */
export async function steadyPorts(
  { dataDir, loaded }: Pick<RunSettings, 'dataDir' | 'loaded'>,
  keys: readonly TakenPort['key'][] = ['app.port', 'proxy.port', 'proxy.tunnel_port'],
): Promise<SteadyPorts> {
  const { origins, sources } = loaded
  const own = Object.values((await askKeeper(dataDir, 'status'))?.ports ?? {})
  const look = async () =>
    (await takenPorts(loaded.config)).filter(({ key, port }) => keys.includes(key) && !own.includes(port))
  const seen = await look()
  if (seen.length > 0) await pause(AGAIN_MS)
  const taken = seen.length === 0 ? [] : await look()
  const chosen = taken.filter(({ key }) => origins.get(key) !== 'default')
  if (chosen.length > 0) throw portTaken(chosen, loaded)
  if (taken.length === 0 || sources.isFileRequired) return { loaded, left: taken, moved: [] }
  const moved: TakenPort['key'][] = []
  try {
    createDataDir(dataDir)
    for (const { key, port } of taken) {
      // Another command on this folder may have chosen one just now.
      if (loadConfig(sources).origins.get(key) !== 'file') {
        const free = await freePort(key)
        await createSettingsInForce(loaded, NO_FOLLOWERS).set(key, free)
        const file = basename(sources.file)
        sayAside(`aspy: another program uses port ${port}; this Aspy uses ${free} from now on (${file})`)
      }
      moved.push(key)
    }
  } catch {
    // The file cannot be written, or not line by line: this works without it, too.
    return { loaded: loadConfig(sources), left: taken.filter(({ key }) => !moved.includes(key)), moved }
  }
  return { loaded: loadConfig(sources), left: [], moved }
}

/**
 * Sees to it that nothing of ours is sent to another program: returns settings whose ports of `keys` none uses, by default all.
 * Throws `port_taken` if there are none.
 */
export async function requireOwnPorts(settings: RunSettings, keys?: readonly TakenPort['key'][]): Promise<RunSettings> {
  const { loaded, left } = await steadyPorts(settings, keys)
  if (left.length > 0) throw portTaken(left, loaded)
  return { ...settings, loaded }
}

/** Returns the port that hooks name: the app's, or the one that its keeper holds while it is stopped, or that of the settings. */
export const hooksPort = async (
  { dataDir, loaded }: Pick<RunSettings, 'dataDir' | 'loaded'>,
  running: Pick<RunningNote, 'ports'> | null,
): Promise<number> => running?.ports.app ?? (await askKeeper(dataDir, 'status'))?.ports['app'] ?? loaded.config.app.port

/** Returns the ports that nobody chose. */
export const defaultPorts = ({ config, origins }: LoadedConfig): readonly TakenPort[] =>
  portsOf(config).filter(({ key }) => origins.get(key) === 'default')

/** Returns the error for ports that other programs use, naming all. */
function portTaken(taken: readonly TakenPort[], { sources }: LoadedConfig): AspyError {
  const ports = taken.map(({ port, setting, key }) => `port ${port} ([${setting}] ${key.slice(setting.length + 1)})`)
  const flags = taken.map(({ flag }) => `${flag} N`).join(' ')
  const are = taken.length === 1 ? 'is' : 'are'
  const said = `${ports.join(' and ')} ${are} taken; choose another with ${flags}, or in ${sources.file}`
  return new AspyError('port_taken', said)
}

/** Says which free ports an app has in place of taken ones, until it ends. */
export function otherPortsText(
  taken: readonly TakenPort[],
  ports: { readonly app: number; readonly proxy: number | null; readonly tunnel?: number },
): string {
  const has = { 'app.port': ports.app, 'proxy.port': ports.proxy, 'proxy.tunnel_port': ports.tunnel }
  const names = { 'app.port': 'dashboard', 'proxy.port': 'proxy', 'proxy.tunnel_port': 'tunnel' }
  const parts = taken.map(({ key, port }) => `${names[key]} ${has[key] ?? 'off'}, since another program uses ${port}`)
  return `aspy: this Aspy has other ports than usual: ${parts.join('; ')}. Commands on this folder find it.`
}
