import { randomUUID } from 'node:crypto'
import { ask } from '../../support/app/ask.ts'
import type { AppUnderTest } from './app-under-test.ts'
import { type Figures, spreadOf } from './figures.ts'

const WARM_EXCHANGES = 200
const EXCHANGES = 1200
const AT_ONCE = 20
/** An agent's session ends after this many exchanges, and another begins. */
const EXCHANGES_OF_A_SESSION = 40
const LAGS = 20
const POSTS = 100

/** Sends growing conversations of twenty agents as fast as the app forwards them, then single exchanges for their lag. */
export async function measureRecording(app: AppUnderTest): Promise<Figures> {
  await converse(app, WARM_EXCHANGES)
  const before = await app.recorded(WARM_EXCHANGES)
  const threadsBefore = app.threadMs()
  const largest = app.watchMemory()
  const begun = performance.now()
  await converse(app, EXCHANGES)
  const answeredMs = performance.now() - begun
  const after = await app.recorded(WARM_EXCHANGES + EXCHANGES)
  const recordedMs = performance.now() - begun
  const memory = largest()
  const threads = app.threadMs()
  const threadMs = (name: string) => (threads.get(name) ?? Number.NaN) - (threadsBefore.get(name) ?? 0)
  const events = after.events_written - before.events_written
  return {
    recording_answered_per_s: EXCHANGES / (answeredMs / 1000),
    recording_exchanges_per_s: EXCHANGES / (recordedMs / 1000),
    recording_events_per_s: events / (recordedMs / 1000),
    recording_recorder_cpu_ms_per_exchange: threadMs('recorder') / EXCHANGES,
    recording_main_cpu_ms_per_exchange: threadMs('main') / EXCHANGES,
    recording_memory_max_mb: memory,
    ...spreadOf('recording_lag', await lags(app, WARM_EXCHANGES + EXCHANGES, LAGS)),
    ...spreadOf('post', await posts(app)),
  }
}

async function converse(app: AppUnderTest, exchanges: number): Promise<void> {
  let next = 0
  const agent = async () => {
    while (next < exchanges) {
      const session = randomUUID()
      const history: object[] = []
      for (let turn = 0; turn < EXCHANGES_OF_A_SESSION && next < exchanges; turn += 1) {
        next += 1
        const prompt = `Prompt ${turn} of ${session}: why does the first query stall? ${'ok line of output\n'.repeat(60)}`
        const answer = await ask(app.proxy, { prompt, session, history })
        await answer.text()
        history.push({ role: 'user', content: [{ type: 'text', text: prompt }] })
        history.push({ role: 'assistant', content: [{ type: 'text', text: `Step ${turn}.` }] })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, agent))
}

/** Returns how long an event of one's own takes until it is answered, in milliseconds. */
export async function posts(app: Pick<AppUnderTest, 'call'>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < POSTS; n += 1) {
    const begun = performance.now()
    await app.call('events.post', { session_id: 'posts', kind: 'user_prompt', payload: { text: `Note ${n}.` } })
    times.push(performance.now() - begun)
  }
  return times
}

/** Returns how long single exchanges take from the end of their answer to their commit, in milliseconds. */
async function lags(app: AppUnderTest, recorded: number, count: number): Promise<number[]> {
  const times: number[] = []
  for (let n = 1; n <= count; n += 1) times.push(await lagOf(app, recorded + n))
  return times
}

/** Sends an exchange, and returns the time from the end of its answer until `recorded` exchanges are committed. */
export async function lagOf(app: AppUnderTest, recorded: number): Promise<number> {
  const answer = await ask(app.proxy, { prompt: `Question ${recorded}: what was decided?`, session: LIVE_SESSION })
  await answer.text()
  const ended = performance.now()
  await app.recorded(recorded)
  return performance.now() - ended
}
const LIVE_SESSION = randomUUID()
