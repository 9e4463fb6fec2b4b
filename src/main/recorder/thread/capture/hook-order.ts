import { setTimeout as pause } from 'node:timers/promises'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import type { ReceivedHook } from './hook-intake.ts'

/** Hooks that report the end of work that an answer began. */
const ENDS: ReadonlySet<unknown> = new Set(['Stop', 'StopFailure', 'SessionEnd'])
/** Hooks that come behind a prompt's request. They, or the next prompt, show that no request comes here. */
const BEHIND_REQUESTS: ReadonlySet<unknown> = new Set([
  ...ENDS,
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'PreCompact',
  'UserPromptSubmit',
])
/** The answer is complete when its hook comes, so this waits only for decoding. */
const MAX_MS = 1000
/** Other programs' hooks, and the first request of a client on a busy machine, take longer. */
const MAX_MORE_MS = 2000
/** Bounds the sessions that are known to send no requests here. */
const SILENT_KEPT = 1000

export interface HookOrderOptions {
  /** Resolves when everything received so far is decoded, and the open answers of a session are queued for the log. */
  answered(sessionId: string): Promise<void>
  take(message: ReceivedHook): void
  /** Left out: as above; tests do not wait that long. */
  readonly maxMs?: number
}

/**
 * Keeps the end of a turn behind its answer: a hook may arrive before the answer's last bytes are decoded. Keeps a
 * prompt behind the request that has it: only the request shows the commands that were typed before it, and what a fork
 * copied.
 */
export class HookOrder {
  readonly #options: HookOrderOptions
  /** The last hook that waits in each session. Later hooks of the session wait behind it. */
  readonly #waiting = new Map<string, Promise<void>>()
  /** Prompts that wait for their requests, by session. */
  readonly #unasked = new Map<string, PromiseWithResolvers<void>>()
  /** Resolved when a session goes on, or nothing more comes, and its prompt's request did not. */
  readonly #passed = new Map<string, PromiseWithResolvers<void>>()
  /** Resolved by the next prompt of a session, or its end: the one before was not sent. */
  readonly #followed = new Map<string, PromiseWithResolvers<void>>()
  /** Sessions whose last prompt no request had. */
  readonly #silent = new RecentlyUsed<string, true>(SILENT_KEPT)

  constructor(options: HookOrderOptions) {
    this.#options = options
  }

  receive(message: ReceivedHook): void {
    const session = String(message.body['session_id'])
    const before = this.#waiting.get(session)
    const event = message.body['hook_event_name']
    const isAwaited = event === 'UserPromptSubmit' && this.#silent.get(session) === undefined
    if (BEHIND_REQUESTS.has(event)) this.#passed.get(session)?.resolve()
    const followed = this.#followed.get(session)
    if (event === 'UserPromptSubmit') followed?.resolve()
    // No more requests come: those that did are decoded first.
    if (event === 'SessionEnd' && followed) void this.#answered(session).then(followed.resolve)
    if (before === undefined && !ENDS.has(event) && !isAwaited) return this.#options.take(message)
    const first = isAwaited ? this.#awaitRequest(session) : ENDS.has(event) ? () => this.#answered(session) : null
    const turn = this.#takeAfter(before, first, message).then(() => {
      if (this.#waiting.get(session) === turn) this.#waiting.delete(session)
    })
    this.#waiting.set(session, turn)
  }

  /** Settles when no hook waits. No more requests come. */
  async settled(): Promise<void> {
    for (const { resolve } of this.#passed.values()) resolve()
    while (this.#waiting.size > 0) await Promise.all(this.#waiting.values())
  }

  /** Called when a request with a new prompt of the session is queued for the log. */
  asked(session: string): void {
    this.#silent.delete(session)
    this.#unasked.get(session)?.resolve()
  }

  async #takeAfter(before: Promise<void> | undefined, first: (() => Promise<void>) | null, message: ReceivedHook) {
    await before
    await first?.()
    this.#options.take(message)
  }

  #answered(session: string): Promise<void> {
    return this.#atMost(this.#options.answered(session))
  }

  /** Returns what waits for a prompt's request, once it is the prompt's turn. */
  #awaitRequest(session: string): () => Promise<void> {
    const [unasked, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const followed = Promise.withResolvers<void>()
    this.#passed.set(session, passed)
    this.#followed.set(session, followed)
    return async () => {
      this.#silent.set(session, true)
      this.#unasked.set(session, unasked)
      await this.#atMost(Promise.race([unasked.promise.then(passed.resolve), followed.promise]))
      await atMost(passed.promise, MAX_MORE_MS)
      this.#unasked.delete(session)
      if (this.#passed.get(session) === passed) this.#passed.delete(session)
      if (this.#followed.get(session) === followed) this.#followed.delete(session)
    }
  }

  #atMost(work: Promise<void>): Promise<void> {
    return atMost(work, this.#options.maxMs ?? MAX_MS)
  }
}

async function atMost(work: Promise<void>, maxMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, pause(maxMs, undefined, { signal: timer.signal }).catch(stopped)])
  timer.abort()
}

/** The timer was stopped because the work was done in time. */
function stopped(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
}
