import { AspyError } from '../../../shared/contract/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The upstream that the client's surroundings already name, if it is not a proxy of ours. */
export function upstreamOf(env: Environment, ourProxy: string | null): string | null {
  const set = env['ANTHROPIC_BASE_URL']?.trim()
  if (set === undefined || set === '') return null
  if (!URL.canParse(set)) throw new AspyError('bad_input', `ANTHROPIC_BASE_URL is not an address: ${set}`)
  return ourProxy !== null && new URL(set).origin === new URL(ourProxy).origin ? null : set
}

/** The client's environment: it speaks to our proxy, and reaches it without another proxy between. */
export function clientEnvironment(env: Environment, proxy: string): Environment {
  const direct = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(',')
  return { ...env, ANTHROPIC_BASE_URL: proxy, NO_PROXY: direct, no_proxy: direct }
}

/** The client's own flag that brings thinking summaries back. */
export const THINKING_ARGUMENTS = ['--thinking-display', 'summarized'] as const

/** The client's own flag that lets it go where we send it, though its settings name a base URL of their own. */
export const baseUrlArguments = (proxy: string): readonly string[] => [
  '--settings',
  JSON.stringify({ env: { ANTHROPIC_BASE_URL: proxy } }),
]

const CLOUDS: readonly (readonly [variable: string, name: string])[] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'Microsoft Foundry'],
]

/** The cloud that a client speaks to instead of a base URL; null: it goes where its base URL says. */
export function cloudOf(env: Environment): string | null {
  const used = CLOUDS.find(([variable]) => /^(1|true|yes|on)$/i.test(env[variable]?.trim() ?? ''))
  return used?.[1] ?? null
}

/** What there is for those who use one. */
export const CLOUD_ADVICE = 'Bring its transcripts in instead: aspy import ~/.claude/projects'

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const

/** The network's proxy that a client would use, and whether it goes to loopback without it; null: there is none. */
export function networkProxyOf(
  env: Environment,
): { readonly variable: string; readonly sparesLoopback: boolean } | null {
  const variable = PROXY_VARIABLES.find((name) => env[name])
  if (variable === undefined) return null
  const hosts = (env['NO_PROXY'] || env['no_proxy'] || '').split(/[\s,]+/)
  return { variable, sparesLoopback: hosts.some((host) => host === '127.0.0.1' || host === '*') }
}
