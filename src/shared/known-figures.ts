import { unpricedOf, type Unpriced } from './spend.ts'

/** Sums of a session. Calls without reported usage are not included. */
interface Sums extends Unpriced {
  readonly total_tokens: number
  readonly total_cost_usd: number
  /** Requests that the guard refused. */
  readonly refused?: number | undefined
  /** The model of the newest answer. */
  readonly model?: string | null
}

/**
 * Returns a session's cost; null if it is not known: no source reported any usage, as in rollouts of Codex before 0.34, or no
 * call has a price. If all that it asked was refused, it cost nothing.
 */
export function knownCost(sums: Sums): number | null {
  const { total_tokens: tokens, total_cost_usd: usd, refused = 0, model = null } = sums
  if (tokens === 0 && refused > 0 && model === null) return 0
  return usd === 0 && (tokens === 0 || unpricedOf(sums) > 0) ? null : usd
}

/** Figures that an import adds after its first pass. */
interface LaterFigures {
  readonly tool_calls: number
  readonly active_ms: number
  readonly preview?: true | undefined
}

/** Returns a figure of a session; null if its transcript is being imported and this figure is not counted yet. */
export const countedFigure = (session: LaterFigures, name: 'tool_calls' | 'active_ms'): number | null =>
  session.preview === true && session[name] === 0 ? null : session[name]

/** Returns a session's tokens; null if no source reported any usage. */
export const knownTokens = ({ total_tokens: tokens }: Sums): number | null => (tokens === 0 ? null : tokens)

/** What is said of a session whose answers were never seen. */
export const NOT_CAPTURED = 'Not captured, known only from hooks or its transcript'

interface Seen extends Sums {
  readonly prompts: number
  readonly api_errors: number
  readonly model: string | null
  readonly client_version: string | null
}

/** Returns whether a session has prompts, but no request or answer: those name the client's version, the model or a failure. */
export const isNotCaptured = ({ prompts, total_tokens: tokens, api_errors, model, client_version }: Seen): boolean =>
  prompts > 0 && tokens === 0 && api_errors === 0 && model === null && client_version === null
