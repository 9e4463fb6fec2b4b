import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { isTunnelProxyUrl, tunnelProxyUrl } from '../../../../shared/tunnel-key.ts'
import { installTunnelKey, removeTunnelKey } from '../../../base/installed-tunnel-key.ts'
import { readSettings, replaceFile } from '../../../base/replace-file.ts'
import { editToml, valueIn } from '../../../config/edit-toml.ts'
import type { ServiceManager } from '../../../login-service/service-manager.ts'
import { settingsEnvironment } from '../client-settings.ts'
import { fullVariables, outerProxyOf } from '../full/full-variables.ts'
import { fullBaseUrl } from '../full/settings-override.ts'
import { writeTrustFiles } from '../full/trust-files.ts'
import { undoBaseUrl, type SetupPlace } from './base-url.ts'
import { changeSetting } from './settings-change.ts'
import { makeFolder, readSetupRecord, writeSetupRecord, type SettingChange } from './setup-record.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Folder of the data folder for files that settings name. */
export const TRUST = 'trust'

export interface FullSetupOptions extends SetupPlace {
  /** The fixed port of the tunnel. */
  readonly port: number
  readonly hosts: readonly string[]
  /** Port of the running app's tunnel; null if no app is running. */
  readonly runningPort: number | null
  /** Returns the authorities once the port is served; null if that takes too long. */
  readonly authorities: () => Promise<{ readonly pem: string; readonly file: string | null } | null>
}

/**
 * Sends every client through the tunnel, but only after a login service is installed and serves it. If that fails, it throws
 * and leaves everything unchanged. Returns one line per change.
 */
export async function setFull(options: FullSetupOptions): Promise<string[]> {
  const { dataDir, settingsFile, services, port, hosts } = options
  const set = settingsEnvironment([{ file: settingsFile, values: readSettings(settingsFile) }])
  const env = { ...options.env, ...set, ...proxyBefore(dataDir, settingsFile) }
  const baseUrl = env['ANTHROPIC_BASE_URL']
  if (baseUrl && fullBaseUrl({ env, ourProxy: null, hosts }) === null)
    throw new AspyError('conflict', 'clients already use a base URL of Aspy; run aspy setup --undo first')
  if (services === null || !(await services.isReachable())) {
    throw new AspyError(
      'conflict',
      `cannot reach ${services?.name ?? 'a service manager'}: after the next login nothing would serve the tunnel, ` +
        'and Claude Code and all programs it starts would have no network; nothing was changed. Use aspy run --full instead',
    )
  }
  if (options.runningPort !== null && options.runningPort !== port) {
    throw new AspyError(
      'conflict',
      `the running app's tunnel has port ${options.runningPort}, not ${port}; stop it and run this again. Nothing was changed`,
    )
  }
  const done = [setPort(options)]
  try {
    const record = readSetupRecord(dataDir)
    writeSetupRecord(dataDir, { ...record, service: true })
    makeFolder(dataDir, dirname(services.file))
    const key = installTunnelKey(dataDir)
    await services.install({ ...options.service, env: { ...options.service.env, ...outerVariables(env) } })
    const authorities = await options.authorities()
    if (authorities === null)
      throw new AspyError('internal', `the login service does not serve the tunnel; see ${options.service.logFile}`)
    done.push(`login service: ${services.file}`)
    const folder = join(dataDir, TRUST)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const files = writeTrustFiles(folder, env, authorities)
    const proxyUrl = tunnelProxyUrl(`http://127.0.0.1:${port}`, key)
    const variables = fullVariables(env, { proxyUrl, hosts, files })
    for (const [name, after] of Object.entries(variables))
      changeSetting(dataDir, { file: settingsFile, path: ['env', name], after })
    done.push(`full mode: ${Object.keys(variables).join(', ')} in ${settingsFile}`)
    return done
  } catch (error) {
    await undoFull(dataDir, services)
    throw error
  }
}

/**
 * Takes clients off the tunnel first; then removes the service, the key and the port. `isUsed`: clients that run need the key,
 * and the files that they trust. Returns one line per change.
 */
export async function undoFull(dataDir: string, services: ServiceManager | null, isUsed = false): Promise<string[]> {
  const done = await undoBaseUrl(dataDir, services, isUsed)
  if (!isUsed && removeTunnelKey(dataDir)) done.push('removed: the key of the tunnel')
  if (!isUsed) rmSync(join(dataDir, TRUST), { recursive: true, force: true })
  const record = readSetupRecord(dataDir)
  if (record.tunnel === null) return done
  const { file, before, after } = record.tunnel
  writeSetupRecord(dataDir, { ...record, tunnel: null })
  const now = existsSync(file) ? readFileSync(file, 'utf8') : null
  if (now === null) return done
  if (now === after && before === null) rmSync(file)
  else replaceFile(file, now === after && before !== null ? before : withoutPort(now, after))
  return [...done, `restored: tunnel_port in ${file}`]
}

/** Returns a config file that somebody changed since without our port; with it, if they changed the port. */
function withoutPort(now: string, ours: string): string {
  if (valueIn(now, 'proxy', 'tunnel_port') !== valueIn(ours, 'proxy', 'tunnel_port')) return now
  return editToml(now, { section: 'proxy', key: 'tunnel_port', value: null })
}

/** Writes the port to config.toml and records the file's whole text, to restore it byte for byte. */
function setPort({ dataDir, configFile: file, port }: FullSetupOptions): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : null
  const after = editToml(text ?? '', { section: 'proxy', key: 'tunnel_port', value: port })
  const record = readSetupRecord(dataDir)
  const before = record.tunnel === null ? text : record.tunnel.before
  writeSetupRecord(dataDir, { ...record, tunnel: { file, before, after } })
  if (text !== after) replaceFile(file, after)
  return `tunnel port: ${port} in ${file}`
}

/** Returns what settings had before an earlier setup wrote our variables, so that none of ours is taken for the network's. */
function proxyBefore(dataDir: string, file: string): Environment {
  const isOurs = (change: SettingChange) => change.file === file && change.path[0] === 'env' && change.path.length === 2
  const ours = readSetupRecord(dataDir).changes.filter(isOurs)
  if (!ours.some(({ after }) => typeof after === 'string' && isTunnelProxyUrl(after))) return {}
  return Object.fromEntries(
    ours.map(({ path, before }) => [path[1] ?? '', typeof before === 'string' ? before : undefined]),
  )
}

/** The service reaches the network as the clients did. */
function outerVariables(env: Environment): Readonly<Record<string, string>> {
  const outer = outerProxyOf(env)
  if (outer === null || outer.https_proxy === '') return {}
  return { HTTPS_PROXY: outer.https_proxy, NO_PROXY: outer.no_proxy }
}
