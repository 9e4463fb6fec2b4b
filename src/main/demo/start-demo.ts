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

export interface DemoOptions {
  /** A line to the recorder; throws while there is none. */
  readonly importerPort: () => MessagePort
  /** Shows events and text to the readers of the live feed. */
  readonly publish: (events: readonly EventSummary[], deltas: readonly Delta[]) => void
  /** What was committed after a place in the log, newest `limit`. */
  readonly since: (after: number, limit: number) => Promise<{ readonly events: readonly EventSummary[] }>
  readonly logger: Pick<Logger, 'error'>
}

const HISTORY = { seed: 'aspy', sessions: 40, days: 30 } as const

/**
 * Fills the store with a made-up history, then plays sessions as if they ran now. Made-up events take the importer's way,
 * which shows nothing live: they are shown here once they are committed. Gives what ends it.
 */
export function startDemo({ importerPort, publish, since, logger }: DemoOptions): () => void {
  const ending = new AbortController()
  const sender = createBatchSender(() => void connect())
  // What is made up goes the way of what is not; its marks need to mean nothing after this run.
  const redactor = createRedactor({ hashKey: randomBytes(32), enabled: true })
  const live = new LiveBatcher(redactor, ({ deltas }) => publish([], deltas))
  let shown = 0

  async function connect(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        sender.connect(importerPort())
        return
      } catch {
        // The recorder is starting: it is asked again until it is there.
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
    // Two answers may overlap: each event is shown once.
    const fresh = events.filter((event) => event.id > shown)
    shown = fresh.at(-1)?.id ?? shown
    return fresh
  }

  async function play(): Promise<void> {
    await connect()
    let last: Promise<unknown> | null = null
    for (const drafts of generateHistory({ ...HISTORY, until: Date.now() })) {
      if (ending.signal.aborted) return
      // Sent ahead as far as the recorder's credit goes.
      last = (await enqueue(drafts)).answered
      last.catch(fail)
    }
    await last
    await show(1)
    await playLive((step) => {
      if ('delta' in step) showDelta(step.delta)
      else send(step.drafts).then(async () => publish(await show(500), []), fail)
    }, ending.signal)
  }

  function fail(error: unknown): void {
    if (!ending.signal.aborted) logger.error({ err: error }, 'the demo failed')
  }

  play().catch(fail)
  return () => ending.abort()
}
