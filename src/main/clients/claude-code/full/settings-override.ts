import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { PATH_SECRET_PREFIX } from '../../../../shared/path-secret.ts'
import type { FullVariables } from './full-variables.ts'

type Environment = Readonly<Record<string, string | undefined>>

const BASE_URL = 'ANTHROPIC_BASE_URL'

interface BaseUrlNow {
  /** The client's environment, with what its settings set. */
  readonly env: Environment
  /** Address of the running app's proxy. */
  readonly ourProxy: string | null
  readonly hosts: readonly string[]
}

/**
 * Returns the base URL that a client must have in full mode: null if it must not have one. Throws `conflict` if it has
 * one that leads past the tunnel's hosts, for example to a gateway.
 */
export function fullBaseUrl({ env, ourProxy, hosts }: BaseUrlNow): string | null {
  const set = env[BASE_URL]?.trim() ?? ''
  if (set === '') return null
  if (!URL.canParse(set)) throw new AspyError('bad_input', `${BASE_URL} is not a valid address: ${set}`)
  const url = new URL(set)
  const isOurs = url.origin === ourProxy || url.pathname.startsWith(`/${PATH_SECRET_PREFIX}`)
  if (isOurs) return null
  if (url.protocol === 'https:' && hosts.includes(url.hostname) && url.port === '') return set
  throw new AspyError(
    'conflict',
    `${BASE_URL} sends Claude Code to ${url.origin}, which full mode does not record. Unset it, run this without --full, ` +
      `or add the host to [proxy] intercept_hosts if it is an https address`,
  )
}

interface Override {
  readonly args: readonly string[]
  /** The variables that the client's settings set. They win over its environment. */
  readonly settings: Environment
  readonly variables: FullVariables
  /** The base URL to set instead of the settings' own. */
  readonly baseUrl: string
  /** A folder that only its owner can read. */
  readonly folder: string
}

/**
 * Returns the client's own flag that overrides its settings; none if they set nothing else. It names a file, because
 * other users can read the arguments of a process, and the variables contain the key.
 */
export function settingsArguments({ args, settings, variables, baseUrl, folder }: Override): readonly string[] {
  const differing = Object.entries(variables).filter(([name, value]) => settings[name] && settings[name] !== value)
  const isBaseUrlSet = Boolean(settings[BASE_URL]) && settings[BASE_URL] !== baseUrl
  if (differing.length === 0 && !isBaseUrlSet) return []
  if (args.some((arg) => arg === '--settings' || arg.startsWith('--settings='))) {
    const names = [...differing.map(([name]) => name), ...(isBaseUrlSet ? [BASE_URL] : [])].join(', ')
    throw new AspyError(
      'conflict',
      `your settings set ${names} and would bypass Aspy; run this without your own --settings, or remove them`,
    )
  }
  const file = join(folder, 'settings.json')
  const env = { ...variables, ...(isBaseUrlSet ? { [BASE_URL]: baseUrl } : {}) }
  writeFileSync(file, `${JSON.stringify({ env })}\n`, { mode: 0o600 })
  return ['--settings', file]
}
