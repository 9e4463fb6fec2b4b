import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { isLoopback } from '../../../../shared/loopback.ts'
import { DeliveryFailure } from '../sender.ts'

/** An answer is read so far, and no further: only its status counts. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_RETRY_AFTER_MS = 60 * 60_000

/** What the other side made of a delivery. */
export type PostOutcome =
  | 'delivered'
  /** The delivery is larger than it takes. */
  | 'too_large'
  /** It will not take this delivery, however often it comes. */
  | 'refused'

export interface Post {
  /** Throws `DeliveryFailure` where it is to be tried again. */
  send(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PostOutcome>
  close(): void
}

/** Posts to one address; redirects are not followed. The proxy variables count, but not for this machine itself. */
export function createPost(url: URL, timeoutMs: number): Post {
  const options = { connect: { timeout: timeoutMs } }
  const dispatcher = isLoopback(url.hostname) ? new Agent(options) : new EnvHttpProxyAgent(options)
  return {
    async send(body, headers, signal) {
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
      // What it says is not looked at; it must not keep the connection for ever either.
      await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal: late })
      return { code: answer.statusCode, retryAfterMs: retryAfter(answer.headers['retry-after']) }
    } catch (error) {
      if (late.aborted) throw new DeliveryFailure(`it gave no answer in ${timeoutMs} ms`)
      if (signal.aborted) throw new DeliveryFailure('stopped')
      throw new DeliveryFailure(`it cannot be reached (${reasonOf(error)})`)
    }
  }
}

/** Never the message: an address may hold a key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const inner = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  return inner ?? ('code' in error ? String(error.code) : error.name)
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined): number | null {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : null
}
