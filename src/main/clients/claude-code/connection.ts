import { nameUpstream } from '../../base/session-upstreams.ts'
import { baseUrlOfRun } from '../../base/client-run.ts'
import { baseUrlOf, loadPathSecret } from '../../base/path-secret.ts'

/**
 * Makes the client treat its base URL as Anthropic's own address, and so send the same requests as without one. It is a
 * variable of Claude Code's own, so a version may ignore it; see docs/claude-code.md.
 */
export const ASSUME_VARIABLE = '_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL'

const FIRST_PARTY = 'https://api.anthropic.com'

/** Environment variables that connect a client. */
export interface Connection {
  readonly ANTHROPIC_BASE_URL: string
  readonly [ASSUME_VARIABLE]?: '1'
}

interface ConnectionOptions {
  readonly dataDir: string
  /** The proxy's address, without the path secret. */
  readonly proxyUrl: string
  /** Address that the proxy forwards to. */
  readonly upstream: string
  /** It is the session's own: the proxy forwards others elsewhere. */
  readonly isOwn?: boolean
  /** The run that the base URL names; absent: it serves all. */
  readonly run?: string
  /** Sets the variable for any upstream, or for none; undefined: only if the upstream is Anthropic's API. */
  readonly assume?: boolean | undefined
}

/** Returns the variables that connect a client, creating the path secret if there is none. Throws file system errors. */
export function connectionTo({
  dataDir,
  proxyUrl,
  upstream,
  isOwn = false,
  run,
  assume,
}: ConnectionOptions): Connection {
  const base = baseUrlOf(proxyUrl, loadPathSecret(dataDir))
  const named = isOwn ? `${base}/${nameUpstream(dataDir, upstream)}` : base
  const ANTHROPIC_BASE_URL = baseUrlOfRun(named, run ?? null)
  return (assume ?? isFirstParty(upstream)) ? { ANTHROPIC_BASE_URL, [ASSUME_VARIABLE]: '1' } : { ANTHROPIC_BASE_URL }
}

/** Returns whether an address is Anthropic's own API. For any other address, the variable would be wrong. */
export const isFirstParty = (upstream: string): boolean =>
  URL.canParse(upstream) && new URL(upstream).origin === FIRST_PARTY
