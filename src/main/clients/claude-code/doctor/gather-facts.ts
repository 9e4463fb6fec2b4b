import { existsSync, lstatSync, statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../../../shared/config.ts'
import { withoutPathSecret } from '../../../../shared/path-secret.ts'
import type { LoadedConfig } from '../../../config/load-config.ts'
import { takenPorts } from '../../../config/taken-ports.ts'
import type { RunningApp } from '../../../base/running-app.ts'
import { askForCheck } from '../../../base/last-check.ts'
import { shownAddress, upstreamNamedIn } from '../../../base/session-upstreams.ts'
import { isLogGone } from '../../../base/running-note.ts'
import { quickCheck } from '../../../store/read/quick-check.ts'
import { allowsSearch } from '../search-permission.ts'
import { valueAt } from '../../../base/edit-json.ts'
import { claudeFolder } from '../claude-folder.ts'
import { cloudOf, networkProxyOf, upstreamOf } from '../client-environment.ts'
import { ASSUME_VARIABLE, isFirstParty } from '../connection.ts'
import { clientSettings, settingsEnvironment, type ClientSettings } from '../client-settings.ts'
import { installedClient } from '../find-client.ts'
import type { RunProgram } from '../../../login-service/service-manager.ts'
import { pluginFiles, type PluginPlaces } from '../setup/plugin-files.ts'
import { isInstalled, pluginFolder } from '../setup/setup.ts'
import type { DoctorFacts } from './facts.ts'
import { knowsVariable } from './knows-variable.ts'
import { tunnelFacts } from './tunnel-facts.ts'

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly dataDir: string
  readonly config: Config
  /** Where each setting comes from. */
  readonly origins: LoadedConfig['origins']
  /** The running app and its warnings; null if no app is using the data. */
  readonly running: (RunningApp & { readonly warnings: readonly { message: string; fix: string }[] }) | null
  /** Why a program on the app's port is not trusted; null if there is none. */
  readonly impostor: string | null
  /** Ports that the app's keeper holds; empty if there is none. */
  readonly keeperPorts: readonly number[]
  /** The values that setup would write into the plugin now. */
  readonly places: PluginPlaces
  readonly run: RunProgram
}

/** Time limit in ms for connecting to a loopback port. */
const CONNECT_MS = 1000

/** Gathers the facts that doctor checks. Changes nothing; contacts only loopback, and runs the client's `--version`. */
export async function gatherFacts(on: Surroundings): Promise<DoctorFacts> {
  const { env, config, dataDir, running } = on
  const settings = clientSettings(env, on.home, on.cwd)
  const client = await installedClient('claude', on)
  const clientEnv = { ...env, ...settingsEnvironment(settings) }
  const proxyUrl = running?.proxyUrl ?? `http://127.0.0.1:${config.proxy.port}`
  const usual = config.proxy.upstream
  const set = clientEnv['ANTHROPIC_BASE_URL']?.trim() ?? ''
  return {
    nodeVersion: process.version,
    dataDir,
    modes: on.platform === 'win32' ? [] : modesOf(dataDir, resolve(dataDir, config.lifestats.db_path)),
    app: running,
    impostor: on.impostor,
    assumed: {
      isAssumed: isOn(clientEnv[ASSUME_VARIABLE]),
      isFirstParty: isFirstParty(upstreamNamedIn(dataDir, set) ?? usual),
      isKnown: client === null ? null : await knowsVariable(client.path, ASSUME_VARIABLE),
    },
    isPassedOn: running === null && on.keeperPorts.length > 0,
    takenPorts:
      running === null && on.impostor === null
        ? (await takenPorts(config))
            .filter(({ port }) => !on.keeperPorts.includes(port))
            .map((each) => ({ ...each, isChosen: on.origins.get(each.key) !== 'default' }))
        : [],
    proxyUrl,
    baseUrl: await baseUrlOf(env, settings),
    tunnel: await tunnelFacts({
      env: clientEnv,
      from: sourceOf(settings),
      host: config.proxy.intercept_hosts[0] ?? '',
    }),
    networkProxy: networkProxyOf(clientEnv),
    plugins: plugins(on, settings),
    maySearch: settings.some(
      ({ values }) => values !== null && allowsSearch(valueAt(values, ['permissions', 'allow'])),
    ),
    settingsWithHooks: settings.filter(hasOurHooks).map(({ file }) => file),
    unreadableSettings: settings.filter(({ values }) => values === null).map(({ file }) => file),
    cloud: cloudOf(clientEnv),
    upstream: shownAddress(URL.canParse(set) ? (upstreamOf(clientEnv, proxyUrl, dataDir) ?? usual) : usual) ?? usual,
    showsThinking: settings.some(({ values }) => values?.['showThinkingSummaries'] === true),
    freeBytes: freeBytes(dataDir),
    database: database(resolve(dataDir, config.lifestats.db_path), dataDir, running !== null),
    client,
  }
}

const isOn = (value: string | undefined) => /^(1|true|yes|on)$/i.test(value?.trim() ?? '')

/** Returns the source from which clients read the tunnel's address. */
const sourceOf = (settings: readonly ClientSettings[]): string =>
  settings.findLast((one) => settingsEnvironment([one])['HTTPS_PROXY'])?.file ?? 'the environment'

/** Files of the data folder that only its owner may read. */
const PRIVATE_FILES =
  'token hooks mcp metrics hash.key path-secret tunnel-key ca.key ca.pem codex-ca.key codex-ca.pem'.split(' ')

function modesOf(dataDir: string, databasePath: string): DoctorFacts['modes'] {
  const files = [...PRIVATE_FILES.map((name) => join(dataDir, name)), databasePath]
  return [{ path: dataDir, wanted: 0o700 }, ...files.map((path) => ({ path, wanted: 0o600 }))].flatMap(
    ({ path, wanted }) => (existsSync(path) ? [{ path, wanted, mode: statSync(path).mode & 0o777 }] : []),
  )
}

async function baseUrlOf(env: Surroundings['env'], settings: readonly ClientSettings[]) {
  const bySettings = settings.findLast((one) => settingsEnvironment([one])['ANTHROPIC_BASE_URL'])
  const url = bySettings ? settingsEnvironment([bySettings])['ANTHROPIC_BASE_URL'] : env['ANTHROPIC_BASE_URL']?.trim()
  if (!url) return null
  const shown = withoutPathSecret(url)
  return {
    url: shownAddress(shown) ?? shown,
    from: bySettings?.file ?? 'the environment',
    isServed: await isServed(url),
    isOfAspy: shown !== url,
  }
}

/** Returns whether a server accepts connections at an address; null if the address is not on this machine. */
export function isServed(url: string): Promise<boolean | null> {
  if (!URL.canParse(url)) return Promise.resolve(false)
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (!/^(127\..*|localhost|::1)$/.test(host)) return Promise.resolve(null)
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: CONNECT_MS })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      // Where this process itself was late, the answer is there already.
      .once('timeout', () => setImmediate(end, false))
  })
}

function plugins({ env, home, cwd, places }: Surroundings, settings: readonly ClientSettings[]) {
  const files = pluginFiles(places)
  const others = pluginFiles({ ...places, watchesFiles: !places.watchesFiles })
  const folders = [...new Set([pluginFolder(claudeFolder(env, home)), pluginFolder(join(cwd, '.claude'))])]
  const named = settings.flatMap(({ file, values }) =>
    Object.entries(values?.['enabledPlugins'] ?? {}).flatMap(([name, isOn]) =>
      name.startsWith('aspy@') && isOn !== false ? [`${name} (${file})`] : [],
    ),
  )
  return [
    ...folders
      .filter((folder) => existsSync(folder))
      .map((folder) => ({
        folder,
        isCurrent: isInstalled(folder, files),
        differsByWatch: isInstalled(folder, others),
      })),
    ...named.map((folder) => ({ folder, isCurrent: null })),
  ]
}

/** Returns whether settings contain hooks that call `aspy hook` or post to our route. */
function hasOurHooks({ values }: ClientSettings): boolean {
  const hooks = JSON.stringify(values?.['hooks'] ?? null)
  return /\baspy\b[^"]*\bhook\b|:\/\/(127\.0\.0\.1|localhost):\d+\/api\/hooks\b/.test(hooks)
}

function freeBytes(dataDir: string): number | null {
  let folder = dataDir
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function database(path: string, dataDir: string, isOpen: boolean): DoctorFacts['database'] {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file === undefined) return null
  // To read it would make a new log, and the next start would not know of the loss.
  if (!isOpen && isLogGone(dataDir, path))
    return { path, bytes: file.size, fault: null, isWhole: false, isText: false, isRefused: false, isLogGone: true }
  const found = quickCheck(path, isOpen)
  if (found.fault !== null && !found.isRefused && existsSync(dataDir)) askForCheck(dataDir)
  // As Health counts it: what was written last is in the WAL.
  const wal = lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { path, ...found, bytes: found.bytes + wal }
}
