import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { isLoopback } from '../../../../shared/loopback.ts'
import { DeliveryFailure } from '../sender.ts'
import { errorCode } from '../../../../shared/error-text.ts'
import { HOUR_MS } from '../../../../shared/time-units.ts'

/** Limit for reading a response, of which only the status matters. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_RETRY_AFTER_MS = HOUR_MS

/** The receiver's response to a delivery. */
export type PostOutcome =
  | 'delivered'
  /** The receiver does not accept deliveries of this size. */
  | 'too_large'
  /** The receiver will never accept this delivery. */
  | 'refused'

export type Post = ReturnType<typeof createPost>

/** Posts to one address without following redirects. Applies the proxy variables, except for loopback. */
export function createPost(url: URL, timeoutMs: number) {
  const options = { connect: { timeout: timeoutMs } }
  const dispatcher = isLoopback(url.hostname) ? new Agent(options) : new EnvHttpProxyAgent(options)
  return {
    /** Throws `DeliveryFailure` if the delivery should be retried. */
    async send(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PostOutcome> {
      const status = await ask(body, headers, signal)
      if (status.code >= 200 && status.code < 300) return 'delivered'
      if (status.code === 413) return 'too_large'
      if (status.code === 400 || status.code === 422) return 'refused'
      const what = status.code >= 300 && status.code < 400 ? 'a redirect, which is not followed' : 'an error'
      throw new DeliveryFailure(`it answered ${status.code}, ${what}`, status.retryAfterMs)
    },
    close: () => void dispatcher.destroy(),
  }

  async function ask(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        dispatcher,
        signal: AbortSignal.any([signal, late]),
      })
      // The body is ignored, but must not hold the connection forever.
      await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal: late })
      return { code: answer.statusCode, retryAfterMs: retryAfter(answer.headers['retry-after']) }
    } catch (error) {
      if (late.aborted) throw new DeliveryFailure(`it did not respond in ${timeoutMs} ms`)
      if (signal.aborted) throw new DeliveryFailure('stopped')
      throw new DeliveryFailure(`it cannot be reached (${reasonOf(error)})`)
    }
  }
}

/** Returns a code, never the message, since the address may contain a key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const inner = errorCode(cause)
  return inner ?? ('code' in error ? String(error.code) : error.name)
}

/** Parses seconds or a date; returns milliseconds. */
function retryAfter(header: string | string[] | undefined): number | null {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : null
}
