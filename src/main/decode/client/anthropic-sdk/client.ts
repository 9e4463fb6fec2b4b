import { CERTAINTY, plainVersion, type ClientFact } from '../client-fact.ts'

/**
 * Reads the user agent of a bare SDK: `Anthropic/JS 0.68.0`, `AsyncAnthropic/Python 0.72.0`, `Anthropic/Go 1.19.0`. A
 * client that is built with the SDK and names itself is more certain.
 */
export function anthropicSdkOfUserAgent(userAgent: string): ClientFact | null {
  const version = /^(?:Async)?Anthropic[\w:]*\/[A-Za-z#]+ (\S+)/i.exec(userAgent)?.[1]
  if (version === undefined) return null
  return { client: 'anthropic-sdk', version: plainVersion(version), certainty: CERTAINTY.library }
}
