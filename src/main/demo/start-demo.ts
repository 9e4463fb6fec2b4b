import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Delta, EventSummary } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import { redactedDraft } from '../pipeline/pipeline.ts'
import { LiveBatcher } from '../recorder/live-batcher.ts'
import { createRedactor } from '../redaction/create-redactor.ts'
import { createBatchSender } from '../transcripts/batch-sender.ts'
import { generateHistory } from './generate-history.ts'
import { playLive } from './play-live.ts'
import { STORIES } from './stories.ts'
import { TALKS } from './talks/all-talks.ts'

export interface DemoOptions {
  /** Opens a port to the recorder. Throws while it is not running. */
  readonly importerPort: () => MessagePort
  /** Publishes events and text to the live feed. */
  readonly publish: (events: readonly EventSummary[], deltas: readonly Delta[]) => void
  /** Returns the newest `limit` events committed after a position in the log. */
  readonly since: (after: number, limit: number) => Promise<{ readonly events: readonly EventSummary[] }>
  readonly logger: Pick<Logger, 'error'>
}

/** What the demo's history is made of. */
export const DEMO_HISTORY = { seed: 'aspy', sessions: 40, days: 30, stories: STORIES, talks: TALKS } as const

/**
 * Fills the store with a generated history, then plays sessions in real time. Generated events are recorded like imported ones,
 * which are not shown live, so this module publishes them after their commit. Returns a function that stops the demo.
 */
export function startDemo({ importerPort, publish, since, logger }: DemoOptions): () => void {
  const ending = new AbortController()
  const sender = createBatchSender(() => void connect())
  // Generated drafts are redacted like real ones. A random key suffices, since nobody compares their marks later.
  const redactor = createRedactor({ hashKey: randomBytes(32), enabled: true })
  const live = new LiveBatcher(redactor, ({ deltas }) => publish([], deltas))
  let shown = 0

  async function connect(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        sender.connect(importerPort())
        return
      } catch {
        // The recorder is starting: try again.
        await pause(50)
      }
    }
  }

  function enqueue(drafts: readonly AnyDraft[]) {
    return sender.send({ drafts: drafts.map((draft) => redactedDraft(draft, redactor)) })
  }

  async function send(drafts: readonly AnyDraft[]): Promise<void> {
    await (
      await enqueue(drafts)
    ).answered
    for (const draft of drafts)
      if (draft.kind === 'model_response' && draft.payload.exchange_id !== null) live.close(draft.payload.exchange_id)
  }

  function showDelta({ session_id, agent_id, exchange_id, ...piece }: Delta): void {
    live.deltas({ session_id, agent_id, exchange_id }, [piece])
  }

  async function show(limit: number): Promise<readonly EventSummary[]> {
    const { events } = await since(shown, limit)
    // Two answers may overlap: show each event once.
    const fresh = events.filter((event) => event.id > shown)
    shown = fresh.at(-1)?.id ?? shown
    return fresh
  }

  async function play(): Promise<void> {
    await connect()
    let last: Promise<unknown> | null = null
    for (const drafts of generateHistory({ ...DEMO_HISTORY, until: Date.now() })) {
      if (ending.signal.aborted) return
      // Sends ahead up to the recorder's credit.
      last = (await enqueue(drafts)).answered
      last.catch(fail)
    }
    await last
    await show(1)
    await playLive((step) => {
      if ('delta' in step) showDelta(step.delta)
      else
        send(step.drafts)
          .then(async () => publish(await show(500), []))
          .catch(fail)
    }, ending.signal)
  }

  function fail(error: unknown): void {
    if (!ending.signal.aborted) logger.error({ err: error }, 'demo failed')
  }

  play().catch(fail)
  return () => ending.abort()
}
