import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../../headers.ts'
import { CERTAINTY, plainVersion, type ClientFact } from '../client-fact.ts'
import { CODEX } from './identity.ts'

/** Names of Codex's own programs: `codex_exec`, `codex_vscode`, `codex-tui`, `Codex Desktop`. Others begin like it. */
const PROGRAM = 'codex(?:_[a-z]\\w*|-(?:tui|cli|exec)| desktop)?'
const USER_AGENT = new RegExp(`^${PROGRAM}/(\\d\\S*)(?: \\([^;)]+; [^)]+\\)|$)`, 'i')
const ORIGINATOR = new RegExp(`^${PROGRAM}$`, 'i')

/** Reads a user agent such as `codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.169.0)`. */
export function codexOfUserAgent(userAgent: string): ClientFact | null {
  const version = USER_AGENT.exec(userAgent)?.[1]
  if (version === undefined) return null
  return { client: CODEX, version: plainVersion(version), certainty: CERTAINTY.header }
}

/** True if a request's headers are those of Codex. */
export function isCodex(headers: RawHeaders): boolean {
  return (
    headerOf(headers, 'x-codex-turn-metadata') !== null ||
    ORIGINATOR.test(headerOf(headers, 'originator') ?? '') ||
    USER_AGENT.test(headerOf(headers, 'user-agent') ?? '')
  )
}
