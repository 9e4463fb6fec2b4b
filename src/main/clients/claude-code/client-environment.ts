import { AspyError } from '../../../shared/contract/errors.ts'
import { upstreamNamedIn } from '../../base/session-upstreams.ts'
import type { Connection } from './connection.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the upstream that the client's environment already names, itself or in a base URL of our own proxy. */
export function upstreamOf(env: Environment, ourProxy: string, dataDir: string): string | null {
  const set = env['ANTHROPIC_BASE_URL']?.trim()
  if (set === undefined || set === '') return null
  if (!URL.canParse(set)) throw new AspyError('bad_input', `ANTHROPIC_BASE_URL is not a valid address: ${set}`)
  return new URL(set).origin === new URL(ourProxy).origin ? upstreamNamedIn(dataDir, set) : set
}

/** Returns an environment in which the client uses our proxy, and connects to it directly. */
export const clientEnvironment = (env: Environment, connection: Connection): Environment => ({
  ...withNoProxy(env),
  ...connection,
})

/** Returns an environment in which a client connects to loopback directly. */
export function withNoProxy(env: Environment): Environment {
  const direct = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(',')
  return { ...env, NO_PROXY: direct, no_proxy: direct }
}

/** The client's own flag that requests thinking summaries. */
export const THINKING_ARGUMENTS = ['--thinking-display', 'summarized'] as const

/** Returns the client's own flag that overrides the base URL in its settings. */
export const baseUrlArguments = (connection: Connection): readonly string[] => [
  '--settings',
  JSON.stringify({ env: connection }),
]

const CLOUDS: readonly (readonly [variable: string, name: string])[] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'Microsoft Foundry'],
]

/** Returns the cloud provider that a client uses instead of its base URL; null if it uses the base URL. */
export function cloudOf(env: Environment): string | null {
  const used = CLOUDS.find(([variable]) => /^(1|true|yes|on)$/i.test(env[variable]?.trim() ?? ''))
  return used?.[1] ?? null
}

/** Advice for clients that use a cloud provider. */
export const CLOUD_ADVICE = 'Import its transcripts instead: aspy import ~/.claude/projects'

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const

/** Returns the network proxy that a client would use, and whether it skips it for loopback; null if there is none. */
export function networkProxyOf(
  env: Environment,
): { readonly variable: string; readonly skipsLoopback: boolean } | null {
  const variable = PROXY_VARIABLES.find((name) => env[name])
  if (variable === undefined) return null
  const hosts = (env['NO_PROXY'] || env['no_proxy'] || '').split(/[\s,]+/)
  return { variable, skipsLoopback: hosts.some((host) => host === '127.0.0.1' || host === '*') }
}
