/** The client of a session, as named by a source. */
export interface ClientFact {
  /** `claude-code`, `agent-sdk`, `anthropic-sdk` …; null if only the version is known. */
  readonly client: string | null
  readonly version: string | null
  /** A more certain source wins, regardless of the order of arrival. */
  readonly certainty: number
}

/** Certainty of a source, from a guess by the kind of source to the client's own statement. */
export const CERTAINTY = { source: 1, library: 2, transcript: 3, header: 4 } as const

/** Name of a client that no source names. */
export const UNKNOWN_CLIENT = 'unknown'

/** Versions are untrusted and shown in lists and metrics. */
const VERSION = /^v?\d[\w.+-]{0,39}$/

/** Returns a version as it may be stored; null if the text is not one. */
export const plainVersion = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && VERSION.test(text) ? text : null
