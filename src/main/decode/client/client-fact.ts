/** The client that a source names for a session. */
export interface ClientFact {
  /** `claude-code`, `agent-sdk`, `anthropic-sdk` …; null if only the version is known. */
  readonly client: string | null
  readonly version: string | null
  /** A more certain source wins, whatever the order of arrival. */
  readonly certainty: number
}

/** Certainty of a source, from a guess by the kind of source to what the client sends itself. */
export const CERTAINTY = { source: 1, library: 2, transcript: 3, header: 4 } as const

/** Name of a client that no source tells. */
export const UNKNOWN_CLIENT = 'unknown'

/** Versions come from outside and are shown in lists and metrics. */
const VERSION = /^v?\d[\w.+-]{0,39}$/

/** Returns a version as it may be stored; null if the text is not one. */
export function plainVersion(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && VERSION.test(text) ? text : null
}
