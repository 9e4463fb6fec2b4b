import { parentPort, workerData } from 'node:worker_threads'
import { createDatabaseFile } from '../../store/read/database-file.ts'
import { createPricing } from '../../store/pricing/pricing.ts'
import { createBudget } from '../../store/read/budget.ts'
import { usableMembership } from '../../team/device/membership-file.ts'
import { createOtel } from './otel/otel.ts'
import { deleteCursor } from '../cursor-file.ts'
import type { FromOutbox, OutboxStart, SinkStatus, ToOutbox } from '../protocol.ts'
import { runSender, type RunningSender, type Sender } from './sender.ts'
import { TeamSender } from './team/team-sender.ts'
import { Webhook } from './webhook/webhook.ts'

/** The outbox thread: reads the log like any reader and delivers events. Nothing waits for it. */

const STATUS_MS = 250
/** Shorter than the main thread's deadline. */
const STOP_MS = 2000

const { dataDir, databasePath, version, since, webhook, otel, team, teamHoldMs } = workerData as OutboxStart
const send = (message: FromOutbox) => parentPort?.postMessage(message)
const budget = createBudget(new Int32Array(1))
const file = createDatabaseFile(databasePath, budget, createPricing())
const reader = () => file.reader()

/** Tells traces whose they are. A file that cannot be read is reported by the team's own sender. */
const membership = () => (team.url === '' ? null : usableMembership(dataDir))

let timer: NodeJS.Timeout | null = null
let running: readonly RunningSender[] = []

function report(): void {
  timer = null
  send({ type: 'status', sinks: running.map((one) => one.status()) })
}

function reportSoon(): void {
  timer ??= setTimeout(report, STATUS_MS)
}

/** Reopens the log after an error reading it, since the file may have been replaced. */
function withFreshLog(sender: Sender): Sender {
  return {
    status: () => sender.status(),
    close: () => sender.close(),
    async step(signal, isLast) {
      // Starts a new read, so that events deleted by now are not sent.
      budget.begin(0, Number.POSITIVE_INFINITY)
      try {
        return await sender.step(signal, isLast)
      } catch (error) {
        if (error instanceof Error && 'code' in error) file.reopen(error)
        throw error
      }
    },
  }
}

function sinkOf(name: SinkStatus['name'] & ('webhook' | 'otel'), address: string, make: () => Sender) {
  if (address !== '') return [runSender(withFreshLog(make()), reportSoon)]
  deleteCursor(dataDir, name)
  return []
}

running = [
  ...sinkOf('webhook', webhook.url, () => new Webhook({ dataDir, version, since, settings: webhook, reader })),
  ...sinkOf('otel', otel.endpoint, () => createOtel({ dataDir, version, since, settings: otel, reader, membership })),
  // Its position outlives an empty address: the change log has everything since then.
  ...(team.url === ''
    ? []
    : [runSender(withFreshLog(new TeamSender({ dataDir, settings: team, reader, holdMs: teamHoldMs })), reportSoon)]),
]

parentPort?.on('message', async (message: ToOutbox) => {
  if (message.type === 'committed') return running.forEach((one) => one.wake())
  const late = AbortSignal.timeout(STOP_MS)
  await Promise.allSettled(
    running.map(async (one) => {
      await one.stop(late)
      send({ type: 'ended', name: one.status().name })
    }),
  )
  if (timer !== null) clearTimeout(timer)
  report()
  file.close()
  send({ type: 'stopped' })
  parentPort?.close()
})
report()
