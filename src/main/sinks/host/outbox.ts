import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Config } from '../../../shared/config.ts'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import { deleteCursor } from '../cursor-file.ts'
import type { FromOutbox, OutboxStart, SinkStatus, ToOutbox } from '../protocol.ts'

const MAX_HEAP_MB = 256
const FIRST_RESTART_MS = 500
const LAST_RESTART_MS = 60_000

type OutboxConfig = Pick<Config, 'webhook' | 'otel' | 'team' | 'lifestats'>

export interface OutboxOptions {
  readonly dataDir: string
  readonly databasePath: string
  readonly version: string
  readonly config: OutboxConfig
  readonly teamHoldMs?: OutboxStart['teamHoldMs']
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** Main-thread handle of the thread that delivers events to webhooks, OpenTelemetry and a team. Nothing waits for it. */
export function createOutbox(options: OutboxOptions) {
  const { dataDir, databasePath, version, teamHoldMs, logger } = options
  let { config } = options
  let worker: Worker | null = null
  let sinks: readonly SinkStatus[] = []
  const ended = new Set<SinkStatus['name']>()
  let restart: NodeJS.Timeout | null = null
  let deaths = 0
  let since = new Date().toISOString()
  let onStopped: (() => void) | null = null

  function spawn(): void {
    restart = null
    const { webhook, otel, team, lifestats } = config
    if (webhook.url === '' && otel.endpoint === '' && team.url === '') return forget()
    sinks = initialStatus(config)
    // Without a log there is nothing to deliver.
    if (!lifestats.enabled) return
    const next = new Worker(threadEntry('outbox-thread'), {
      name: 'outbox',
      workerData: { dataDir, databasePath, version, since, webhook, otel, team, teamHoldMs } satisfies OutboxStart,
      execArgv: [],
      resourceLimits: threadMemory(MAX_HEAP_MB),
    })
    worker = next
    next.on('message', (message: FromOutbox) => receive(message))
    // Only the name: the message may quote an event.
    next.on('error', (error) => logger.error({ error: error.name }, 'outbox thread failed'))
    next.on('exit', () => died(next))
    next.unref()
  }

  function receive(message: FromOutbox): void {
    if (message.type === 'stopped') return onStopped?.()
    if (message.type === 'ended') return void ended.add(message.name)
    sinks = message.sinks
    if (sinks.some(({ problem }) => problem === null)) deaths = 0
  }

  function died(dead: Worker): void {
    if (dead !== worker) return
    worker = null
    if (onStopped !== null) return onStopped()
    deaths += 1
    sinks = sinks.map((sink) => ({ ...sink, problem: 'its thread exited; restarting' }))
    restart = setTimeout(spawn, Math.min(LAST_RESTART_MS, FIRST_RESTART_MS * 2 ** (deaths - 1)))
    restart.unref()
  }

  /** Events recorded while a sink is off are not sent later. */
  function forget(): void {
    sinks = []
    try {
      for (const sink of ['webhook', 'otel'] as const) deleteCursor(dataDir, sink)
    } catch (error) {
      logger.warn({ err: error }, 'could not delete the cursors of disabled sinks')
    }
  }

  async function stop(deadlineMs: number): Promise<void> {
    if (restart !== null) clearTimeout(restart)
    const ending = worker
    if (ending === null) return
    ended.clear()
    const stopped = Promise.withResolvers<void>()
    onStopped = stopped.resolve
    ending.postMessage({ type: 'stop' } satisfies ToOutbox)
    const deadline = setTimeout(() => {
      const slow = sinks.map(({ name }) => name).filter((name) => !ended.has(name))
      logger.warn(
        { sinks: slow, deadline_ms: deadlineMs },
        'sinks did not stop in time; the rest is delivered after the next start',
      )
      stopped.resolve()
    }, deadlineMs)
    await stopped.promise
    clearTimeout(deadline)
    worker = null
    onStopped = null
    await endThread(ending, 1000)
  }

  return {
    /** Starts the thread if a sink is configured. */
    start: spawn,
    committed: () => worker?.postMessage({ type: 'committed' } satisfies ToOutbox),
    status: () => sinks,
    /** Restarts with other settings and continues at the same position. */
    async reconfigure(next: OutboxConfig, deadlineMs: number) {
      config = next
      since = new Date().toISOString()
      await stop(deadlineMs)
      spawn()
    },
    stop,
  }
}

/** Returns the status until the thread reports its own. */
function initialStatus({ webhook, otel, team, lifestats }: OutboxConfig): SinkStatus[] {
  const problem = lifestats.enabled ? null : 'nothing is recorded: set enabled = true under [lifestats]'
  const nothing = { delivered: 0, waiting: 0, dropped: {}, problem }
  return [
    ...(webhook.url === '' ? [] : [{ name: 'webhook' as const, target: new URL(webhook.url).host, ...nothing }]),
    ...(otel.endpoint === '' ? [] : [{ name: 'otel' as const, target: new URL(otel.endpoint).host, ...nothing }]),
    ...(team.url === '' ? [] : [{ name: 'team' as const, target: new URL(team.url).host, ...nothing }]),
  ]
}
