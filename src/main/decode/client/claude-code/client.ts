import type { JsonObject } from '../../../../shared/event.ts'
import { filledString } from '../../../../shared/json-fields.ts'
import { CERTAINTY, plainVersion, type ClientFact } from '../client-fact.ts'

/** Claude Code's own name in columns, filters and metrics. No other client has hooks and transcripts yet. */
export const CLAUDE_CODE = 'claude-code'
/** The header with which every version since 2.1 names its session, also behind a gateway that changes the user agent. */
export const CLAUDE_CODE_HEADER = 'x-claude-code-session-id'
const AGENT_SDK = 'agent-sdk'

/** Entry points with which the Agent SDK starts Claude Code: `sdk-ts`, `sdk-py`. `sdk-cli` is `claude -p`. */
const SDK_ENTRY = /^sdk-(?!cli$)/

/**
 * Reads a user agent such as `claude-cli/2.1.330 (external, cli)`, or of the Agent SDK `claude-cli/2.1.330 (external,
 * sdk-ts, agent-sdk/0.2.1)`, whose version is the SDK's if given.
 */
export function claudeCodeOfUserAgent(userAgent: string): ClientFact | null {
  const [, version, details = ''] = /^claude-(?:cli|code)\/(\S+)(?: \(([^)]*)\))?/.exec(userAgent) ?? []
  if (version === undefined) return null
  const parts = details.split(', ')
  const sdk = parts.find((part) => part.startsWith('agent-sdk/'))
  const isSdk = sdk !== undefined || parts.some((part) => SDK_ENTRY.test(part))
  return {
    client: isSdk ? AGENT_SDK : CLAUDE_CODE,
    version: plainVersion(sdk?.slice('agent-sdk/'.length)) ?? plainVersion(version),
    certainty: CERTAINTY.header,
  }
}

/** Returns whether a user agent is that of `claude -p`, which exits after its turn. */
export const isPrintMode = (userAgent: string): boolean =>
  /^claude-(?:cli|code)\/\S+ \([^)]*\bsdk-cli\b/.test(userAgent)

/** Returns what an end of a turn says if the line that shows it is of `claude -p`. */
export const endOfPrintMode = ({ entrypoint }: JsonObject): { readonly ends_session?: true } =>
  entrypoint === 'sdk-cli' ? { ends_session: true } : {}

/** Returns the client that wrote a transcript line, by its `version` and `entrypoint`; null if the line has no version. */
export function clientOfLine(line: JsonObject): { readonly client: string; readonly client_version: string } | null {
  const version = plainVersion(filledString(line['version']))
  if (version === null) return null
  const isSdk = SDK_ENTRY.test(filledString(line['entrypoint']) ?? '')
  return { client: isSdk ? AGENT_SDK : CLAUDE_CODE, client_version: version }
}
