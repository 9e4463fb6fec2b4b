import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startSinkReceiver, type SinkReceiver } from '../../support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

// What leaves the computer cannot be called back: events of a session wait while its deletion is pending. After an
// undo, every sink has all of them. Logs and counters, which stay here, continue.

interface Delivery {
  readonly events?: readonly { uuid: string; kind: string; session_id: string; payload: { text?: string } }[]
}

let upstream: MessagesUpstream
let receiver: SinkReceiver
let folder: TempFolder
let app: TestApp

beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'an answer' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())
beforeEach(async () => {
  folder = makeTempFolder()
  receiver = await startSinkReceiver()
  app = await startApp({
    upstream: upstream.url,
    dataDir: folder.path,
    settings: {
      'webhook.url': `${receiver.url}/webhook`,
      'webhook.interval_ms': 50,
      'webhook.timeout_ms': 60_000,
      'otel.endpoint': `${receiver.url}/otel`,
      'otel.content': true,
      'session_log.enabled': true,
      'metrics.enabled': true,
    },
    // Deletions begin when somebody sees the undo, and no sooner.
    undo: { seenMs: 0, unseenMs: 3_600_000 },
  })
  await app.recorderRuns()
})
afterEach(async () => {
  await app.close()
  await receiver.vanish()
  folder.remove()
})

async function turn(prompt: string, session: string): Promise<void> {
  const before = await recorded()
  await (await ask(app.proxy, { prompt, session })).text()
  await until('it is recorded', async () => (await recorded()) > before)
}
/** Waits for what arrives at a sink. */
const arrives = (what: string, isSo: () => boolean) => until(what, () => Promise.resolve(isSo()))
const recorded = async () => (await app.running.health()).exchanges_recorded

const delivered = () => receiver.received.filter(({ path }) => path.startsWith('/webhook'))
const deliveredPrompts = () =>
  delivered()
    .flatMap(({ json }) => (json as Delivery).events ?? [])
    .flatMap(({ kind, payload }) => (kind === 'user_prompt' ? [payload.text] : []))
const traced = (text: string) =>
  receiver.received.some(({ path, body }) => path.startsWith('/otel') && body.includes(text))

const logOf = (session: string) => join(folder.path, 'logs', `session-${session}.jsonl`)
const logged = (session: string) => (existsSync(logOf(session)) ? readFileSync(logOf(session), 'utf8') : '')
async function countedPrompts(): Promise<number> {
  const token = readFileSync(join(folder.path, 'token'), 'utf8').trim()
  const page = await (await fetch(`${app.app}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  return Number(/^aspy_events_total\{kind="user_prompt"\} (\d+)$/m.exec(page)?.[1] ?? 0)
}

/** Records a turn in each session, then requests the deletion of one and records another turn in each. */
async function deleteSoonAndContinue(): Promise<void> {
  await turn('first of gone', 'gone')
  await turn('first of stays', 'stays')
  await arrives('both prompts are delivered', () => deliveredPrompts().length === 2)
  await arrives('both turns are traced', () => traced('first of gone') && traced('first of stays'))
  await app.call('sessions.delete_soon', { ids: ['gone'] })
  await turn('second of gone', 'gone')
  await turn('second of stays', 'stays')
}

test('what is to be deleted leaves by no sink, and after an undo nothing is missing', async () => {
  await deleteSoonAndContinue()
  await until('all are counted', async () => (await countedPrompts()) === 4)
  await arrives('both are logged', () => logged('stays').includes('second of stays'))
  expect(logged('gone')).toContain('second of gone')
  expect(deliveredPrompts()).not.toContain('second of gone')
  expect(traced('second of gone')).toBe(false)

  await app.call('sessions.undo_delete', { ids: ['gone'] })
  await arrives('the rest is delivered', () => deliveredPrompts().length === 4)
  expect(deliveredPrompts()).toEqual(['first of gone', 'first of stays', 'second of gone', 'second of stays'])
  await arrives('the rest is traced', () => traced('second of gone') && traced('second of stays'))
  await turn('third of gone', 'gone')
  await arrives('the log continues', () => logged('gone').includes('third of gone'))
})

heavily(test)('a session that is deleted in the end leaves by no sink, and the others lose nothing', async () => {
  await deleteSoonAndContinue()
  await app.call('sessions.undo_shown', { ids: ['gone'] })
  await until('it is deleted', async () => {
    const { items } = await app.call<{ items: readonly unknown[] }>('sessions.deletions')
    return items.length === 0
  })
  await arrives('the other session is delivered', () => deliveredPrompts().includes('second of stays'))
  await arrives('the other session is traced', () => traced('second of stays'))
  await turn('third of stays', 'stays')
  await arrives('all that is left is delivered', () => deliveredPrompts().includes('third of stays'))
  expect(deliveredPrompts()).not.toContain('second of gone')
  expect(traced('second of gone')).toBe(false)
  expect(existsSync(logOf('gone'))).toBe(false)
})
