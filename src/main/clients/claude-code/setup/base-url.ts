import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { baseUrlOf, rotatePathSecret } from '../../../base/path-secret.ts'
import { editToml, valueIn } from '../../../config/edit-toml.ts'
import { networkProxyOf, upstreamOf } from '../client-environment.ts'
import { ASSUME_VARIABLE, connectionTo } from '../connection.ts'
import type { LoginService } from '../../../login-service/login-service.ts'
import type { ServiceManager } from '../../../login-service/service-manager.ts'
import { upstreamNamedIn } from '../../../base/session-upstreams.ts'
import { valueAt } from '../../../base/edit-json.ts'
import { readSettings, replaceFile, type JsonRecord } from '../../../base/replace-file.ts'
import { changeSetting, isVariable, undoChanges } from './settings-change.ts'
import { makeFolder, readSetupRecord, removeFolders, writeSetupRecord } from './setup-record.ts'

type Environment = Readonly<Record<string, string | undefined>>

const BASE_URL = ['env', 'ANTHROPIC_BASE_URL'] as const
const ASSUME = ['env', ASSUME_VARIABLE] as const

/** The files and the service that a setup changes. */
export interface SetupPlace {
  readonly dataDir: string
  /** Claude Code's settings.json, and our config.toml. */
  readonly settingsFile: string
  readonly configFile: string
  readonly env: Environment
  /** null if no service manager is supported on this system. */
  readonly services: ServiceManager | null
  readonly service: LoginService
}

export interface BaseUrlOptions extends SetupPlace {
  /** The address of our proxy. The settings get it with the path secret. */
  readonly proxyUrl: string
  /** Address that the proxy forwards to, unless clients already have a base URL. */
  readonly upstream: string
  /** True if clients assume Anthropic's own address; undefined: only if that is the upstream. */
  readonly assume?: boolean | undefined
  /** The upstream of the running app; null if no app is running. */
  readonly runningUpstream: string | null
  /** Resolves with true once `proxyUrl` is served, and with false if that takes too long. */
  readonly isServed: () => Promise<boolean>
}

/**
 * Points every client at the proxy, but only after a login service is installed and serves it. If that fails, it throws
 * and leaves everything unchanged. A base URL that was set before is named in ours: the proxy forwards these clients to it,
 * and others where it did. Returns one line per change.
 */
export async function setBaseUrl(options: BaseUrlOptions): Promise<string[]> {
  const { dataDir, settingsFile, proxyUrl, services, env } = options
  const settings = readSettings(settingsFile)
  const upstream = previousUpstream(options, valueAt(settings, BASE_URL))
  if (services === null || !(await services.isReachable())) {
    throw new AspyError(
      'conflict',
      `cannot reach ${services?.name ?? 'a service manager'}: after the next login nothing would serve the base URL, ` +
        'and Claude Code would hang; nothing was changed. Use aspy run -- claude instead',
    )
  }
  const wanted = upstream === null ? configuredUpstream(options.configFile) : null
  if (options.runningUpstream !== null && wanted !== null && !sameUrl(options.runningUpstream, wanted)) {
    throw new AspyError(
      'conflict',
      `the running app forwards to ${options.runningUpstream}, but clients are configured for ${wanted}; stop it and run this again. Nothing was changed`,
    )
  }
  try {
    writeSetupRecord(dataDir, { ...readSetupRecord(dataDir), service: true })
    makeFolder(dataDir, dirname(services.file))
    await services.install(options.service)
    if (!(await options.isServed()))
      throw new AspyError('internal', `the login service does not serve ${proxyUrl}; see ${options.service.logFile}`)
  } catch (error) {
    await undoBaseUrl(dataDir, services)
    throw error
  }
  const connection = connectionTo({ ...options, upstream: upstream ?? options.upstream, isOwn: upstream !== null })
  changeSetting(dataDir, { file: settingsFile, path: [...BASE_URL], after: connection.ANTHROPIC_BASE_URL })
  const done = [
    `login service: ${services.file}`,
    `base URL: ${proxyUrl}, followed by the path secret, in ${settingsFile}`,
    ...(upstream === null ? [] : [`upstream of these clients: ${upstream}, the previous base URL`]),
  ]
  if (connection[ASSUME_VARIABLE] === undefined) {
    // An earlier setup had Anthropic's own upstream.
    undoChanges(dataDir, ({ file, path }) => file === settingsFile && path[1] === ASSUME_VARIABLE)
  } else {
    changeSetting(dataDir, { file: settingsFile, path: [...ASSUME], after: connection[ASSUME_VARIABLE] })
    done.push(`${ASSUME_VARIABLE}: 1 in ${settingsFile}, so that Claude Code sends what it sends without a base URL`)
  }
  const direct = directHosts(env, settings)
  if (direct !== null) {
    changeSetting(dataDir, { file: settingsFile, path: ['env', 'NO_PROXY'], after: direct })
    done.push(`NO_PROXY: 127.0.0.1 added in ${settingsFile}, so that requests to Aspy bypass the network's proxy`)
  }
  return done
}

/** Returns the address that clients use now, also if setup wrote ours before, on this port or on another; null if there is none. */
function previousUpstream({ dataDir, env, proxyUrl }: BaseUrlOptions, set: unknown): string | null {
  const ours = readSetupRecord(dataDir).changes.find((change) => change.path[1] === BASE_URL[1])?.after
  if (typeof set === 'string' && set === ours) return upstreamNamedIn(dataDir, set)
  return upstreamOf(typeof set === 'string' ? { ANTHROPIC_BASE_URL: set } : env, proxyUrl, dataDir)
}

/**
 * Makes a new path secret and writes it to the settings in which setup wrote the previous one, unless somebody changed
 * them since. Returns one line per change.
 */
export function rotateBaseUrl(dataDir: string): string[] {
  const secret = rotatePathSecret(dataDir)
  const done = ['path secret: replaced; running clients keep working, but count as unproven until they restart']
  for (const { file, path, after } of readSetupRecord(dataDir).changes) {
    if (path[1] !== BASE_URL[1] || typeof after !== 'string') continue
    if (valueAt(readSettings(file), path) !== after) done.push(`kept your change: ${path.join('.')} in ${file}`)
    else {
      const { origin, pathname } = new URL(after)
      // Behind the secret: the upstream of these clients.
      const rest = pathname.split('/').slice(2)
      changeSetting(dataDir, { file, path, after: [baseUrlOf(origin, secret), ...rest].join('/') })
      done.push(`base URL: updated in ${file}`)
    }
  }
  return done
}

/**
 * Undoes the base URL first, so that no client is sent to a stopped service; then the service, and the upstream that earlier
 * versions wrote to the config file. `isUsed`: clients that run need what serves now.
 */
export async function undoBaseUrl(dataDir: string, services: ServiceManager | null, isUsed = false): Promise<string[]> {
  const done = undoChanges(dataDir, isVariable)
  if (readSetupRecord(dataDir).service && services !== null) done.push(`removed: ${services.file}`)
  const restored = await undoService(dataDir, services, isUsed)
  return restored === null ? done : [...done, restored]
}

async function undoService(dataDir: string, services: ServiceManager | null, isUsed: boolean): Promise<string | null> {
  if (readSetupRecord(dataDir).service) await services?.remove(isUsed)
  removeFolders(dataDir)
  const record = readSetupRecord(dataDir)
  const { upstream } = record
  writeSetupRecord(dataDir, { ...record, service: false, upstream: null })
  if (upstream === null || !existsSync(upstream.file)) return null
  const text = readFileSync(upstream.file, 'utf8')
  if (valueIn(text, 'proxy', 'upstream') !== upstream.after) return `kept your change: upstream in ${upstream.file}`
  const restored = editToml(text, { section: 'proxy', key: 'upstream', value: upstream.before })
  if (restored.trim() === '[proxy]') rmSync(upstream.file)
  else replaceFile(upstream.file, restored)
  return `restored: upstream in ${upstream.file}`
}

function configuredUpstream(file: string): string | null {
  const value = existsSync(file) ? valueIn(readFileSync(file, 'utf8'), 'proxy', 'upstream') : undefined
  return typeof value === 'string' ? value : null
}

/** Returns the NO_PROXY that keeps loopback off the network's proxy; null if nothing must change. */
function directHosts(env: Environment, settings: JsonRecord): string | null {
  const both = { ...env, ...(valueAt(settings, ['env']) as Environment | undefined) }
  if (networkProxyOf(both)?.skipsLoopback !== false) return null
  return [both['NO_PROXY'] || both['no_proxy'], '127.0.0.1'].filter(Boolean).join(',')
}

const sameUrl = (one: string, other: string) => new URL(one).href === new URL(other).href
