import { createUpstream, type Upstream } from './upstream.ts'

/** The proxy's own answer, instead of forwarding. */
interface Refusal {
  readonly status: 403
  readonly type: 'permission_error'
  readonly message: string
}

/** Destination of a request. */
export interface Route {
  readonly upstream: Upstream
  /** Path and query for the upstream, below its own path. */
  readonly path: string
  /** The path to record for the request; absent: the one that the client sent. */
  readonly recordedAs?: string
}

/** A request's route, or the answer that it gets instead. */
export type Routing = { readonly route: Route } | { readonly refusal: Refusal }

/** The addresses that a path prefix may choose. */
export interface RoutedUpstreams {
  /** For requests without a prefix. */
  readonly standard: Upstream
  /** For an API key of OpenAI. */
  readonly openai: Upstream
  /** For a login with ChatGPT. */
  readonly chatgpt: Upstream
}

/** The addresses of `[proxy.upstreams]`. */
export interface UpstreamAddresses {
  readonly openai: string
  readonly chatgpt: string
}

const VENDORS: UpstreamAddresses = {
  openai: 'https://api.openai.com/v1',
  chatgpt: 'https://chatgpt.com/backend-api/codex',
}

/** Creates the connections to all upstreams. Those that are never used open none. */
export function createRoutedUpstreams(
  standard: URL,
  addresses: UpstreamAddresses = VENDORS,
): RoutedUpstreams & { destroy(): Promise<void> } {
  const routed = {
    standard: createUpstream(standard),
    openai: createUpstream(new URL(addresses.openai)),
    chatgpt: createUpstream(new URL(addresses.chatgpt)),
  }
  return {
    ...routed,
    async destroy() {
      await Promise.all(Object.values(routed).map((upstream) => upstream.destroy()))
    },
  }
}

/** The path prefix of the Responses API. It is not forwarded: the upstream's address has its own path. */
const OPENAI_PREFIX = '/openai/v1'

const ANTHROPIC_HOST = 'api.anthropic.com'
const ANTHROPIC_KEY = /^(?:Bearer\s+)?sk-ant-/i
const OPENAI_KEY = /^Bearer\s+sk-(?:proj|svcacct|admin)-/i
const ANY_KEY = /^Bearer\s+sk-/i

/**
 * Chooses the upstream of a request by its path prefix, from a closed list, and by its login. Refuses a request whose
 * credentials belong to another vendor: they must not be sent to it.
 */
export function routeOf(path: string, headers: readonly string[], upstreams: RoutedUpstreams): Routing {
  const rest = withoutPrefix(path)
  const credentials = credentialsIn(headers)
  if (rest === null) {
    const isForeign = credentials.isKey && !credentials.isAnthropic && upstreams.standard.host === ANTHROPIC_HOST
    if (!credentials.isOpenai && !credentials.isChatgpt && !isForeign)
      return { route: { upstream: upstreams.standard, path } }
    return refuse('an OpenAI', 'the base URL', 'its base URL must end in /openai/v1')
  }
  if (credentials.isAnthropic) return refuse('an Anthropic', 'the path /openai/v1', 'its base URL must not end in it')
  if (credentials.isChatgpt && credentials.isKey)
    return refuse('an API key of OpenAI together with a ChatGPT', 'the path /openai/v1', 'sign in with one of them')
  return { route: { upstream: credentials.isChatgpt ? upstreams.chatgpt : upstreams.openai, path: rest } }
}

/** Returns whether a path has a prefix that chooses an upstream. */
export const isRouted = (path: string): boolean => withoutPrefix(path) !== null

/** Returns the path below the prefix; null for a path without it. */
function withoutPrefix(path: string): string | null {
  if (!path.startsWith(OPENAI_PREFIX)) return null
  const rest = path.slice(OPENAI_PREFIX.length)
  if (rest === '') return '/'
  return /^[/?#]/.test(rest) ? (rest.startsWith('/') ? rest : `/${rest}`) : null
}

function refuse(whose: string, where: string, advice: string): { readonly refusal: Refusal } {
  const message = `Aspy's proxy does not send ${whose} credential to the upstream of ${where}: ${advice}.`
  return { refusal: { status: 403, type: 'permission_error', message } }
}

/** Reads flat raw headers (name, value, name, …). Comparing lengths first is cheaper than lower-casing every name. */
function credentialsIn(headers: readonly string[]) {
  let isAnthropic = false
  let isOpenai = false
  let isChatgpt = false
  let isKey = false
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (!LENGTHS.has(name.length)) continue
    const value = headers[index + 1] ?? ''
    switch (name.toLowerCase()) {
      case 'authorization':
        isAnthropic ||= ANTHROPIC_KEY.test(value)
        isOpenai ||= OPENAI_KEY.test(value)
        isKey ||= ANY_KEY.test(value)
        break
      case 'x-api-key':
        isAnthropic ||= ANTHROPIC_KEY.test(value)
        break
      case 'anthropic-version':
        isAnthropic = true
        break
      case 'chatgpt-account-id':
        isChatgpt = true
        break
    }
  }
  return { isAnthropic, isOpenai, isChatgpt, isKey }
}

const LENGTHS: ReadonlySet<number> = new Set(
  ['authorization', 'x-api-key', 'anthropic-version', 'chatgpt-account-id'].map((name) => name.length),
)
