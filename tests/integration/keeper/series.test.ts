import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startKept, type KeptApp } from '../../support/keeper/kept-app.ts'
import { appServes, killApp } from '../../support/keeper/kill-app.ts'
import { isHeavy, runs } from '../../support/runner/heavy.ts'
import { readStore } from '../../support/store/folder.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Kills and restarts at random moments, under clients that ask without pause and repeat what is cut. */

const KILLS = runs(2, 500)
const RESTARTS = runs(2, 100)
/** Longest lives of apps before they are killed, in turn: few of them live long enough to count as steady. */
const LIVES_MS = isHeavy ? [3000, 20_000] : [2000]
const CLIENTS = 4
const LONGEST_ANSWER_MS = 600
/** Clients wait longer. At once, a repetition may be sent on another kept connection of the app that was just killed. */
const BEFORE_AGAIN_MS = 100
const TIME_LIMIT_MS = isHeavy ? 5 * 60 * 60_000 : 480_000

let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => {
  upstream = await startMessagesUpstream(({ body }) => {
    const name = lastUserText(body)
    setTimeout(() => upstream.release(name), LONGEST_ANSWER_MS * Math.random())
    return { steps: [{ text: 'begun' }, { hold: name }, { text: 'ended' }] }
  })
})
afterAll(() => upstream.close())
beforeEach(() => (folder = makeTempFolder('aspy-series-')))
afterEach(() => folder.remove())

interface Asked {
  readonly prompt: string
  readonly tries: number
  /** From its first try to its whole answer. */
  readonly time: Span
  /** How long the try that was answered waited for its answer to begin. */
  readonly waitMs: number
}

interface Span {
  readonly from: number
  readonly to: number
}

/** One client: asks until it has to end. A run that ends with an error rejects. */
async function client(kept: KeptApp, name: string, ending: AbortSignal): Promise<Asked[]> {
  const asked: Asked[] = []
  while (!ending.aborted) {
    const prompt = `${name} ${asked.length}`
    const from = performance.now()
    let waitMs = await tried(kept, prompt, name)
    let tries = 1
    for (; waitMs === null; tries += 1) {
      await pause(BEFORE_AGAIN_MS)
      waitMs = await tried(kept, prompt, name)
    }
    asked.push({ prompt, tries, waitMs, time: { from, to: performance.now() } })
  }
  return asked
}

/**
 * Returns how long it waited for an answer to begin; null if that was cut, or the connection. An answer of another kind is
 * an error that ends a run.
 */
async function tried(kept: KeptApp, prompt: string, session: string): Promise<number | null> {
  const from = performance.now()
  const response = await ask(kept.proxy, { prompt, session }).catch(() => null)
  if (response === null) return null
  const waitMs = performance.now() - from
  const text = await response.text().catch(() => '')
  if (response.status !== 200) throw new Error(`${prompt}: ${response.status} ${text}`)
  return text.includes('message_stop') ? waitMs : null
}

/** Runs clients while something happens to their app, and returns what they asked. */
async function underClients(kept: KeptApp, series: string, work: () => Promise<void>): Promise<Asked[]> {
  const ending = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, at) => client(kept, `${series}-${at}`, ending.signal))
  await work().finally(() => ending.abort())
  return (await Promise.all(clients)).flat()
}

const timesSeen = () => Map.groupBy(upstream.requests, ({ body }) => lastUserText(body))
const inStore = (sql: string) =>
  readStore(join(folder.path, 'lifestats.db'), (db) => db.prepare<[], number>(sql).pluck().get() ?? 0)
const promptsWithoutEnd = () =>
  readStore(join(folder.path, 'lifestats.db'), (db) =>
    db
      .prepare(
        `SELECT id, session_id, ts_wall FROM events AS prompt WHERE kind = 'user_prompt' AND NOT EXISTS (
        SELECT 1 FROM events WHERE turn_id = prompt.turn_id AND kind IN ('model_response', 'error'))`,
      )
      .all(),
  )
/** Waits until nothing that was recorded is without an end. */
const allEnded = () => expect.poll(promptsWithoutEnd).toEqual([])
const passed = async () =>
  Object.values((await askKeeper(folder.path, 'status'))?.passed.requests ?? {}).reduce((sum, each) => sum + each, 0)

function report(series: string, count: number, asked: readonly Asked[], more: string): void {
  const again = asked.filter(({ tries }) => tries > 1)
  const inOrder = (times: readonly number[]) => times.toSorted((one, other) => one - other)
  const [waits, took] = [
    inOrder(again.map(({ waitMs }) => waitMs)),
    inOrder(again.map(({ time }) => time.to - time.from)),
  ]
  const most = Math.max(1, ...asked.map(({ tries }) => tries))
  const share = (times: readonly number[], part: number) => Math.round(times[Math.floor(times.length * part)] ?? 0)
  const longest = Math.round(Math.max(...asked.map(({ waitMs }) => waitMs)))
  console.log(
    `${count} ${series}: ${asked.length} requests of ${CLIENTS} clients, ${again.length} repeated, at most ${most - 1} times; ` +
      `those took ${share(took, 0.5)} ms (median), ${share(took, 0.999)} ms (longest), of which their last try waited ` +
      `${share(waits, 0.5)} ms (median); no try that was answered waited longer than ${longest} ms; ${more}`,
  )
}

test(
  'kills at random moments: no run fails, each kill costs one repetition, and every recorded exchange has an end',
  async () => {
    await using kept = await startKept(folder.path, upstream.url)
    const kills: Span[] = []
    const asked = await underClients(kept, 'kill', async () => {
      for (let round = 0; round < KILLS; round += 1) {
        await appServes(folder.path)
        await pause((LIVES_MS[round % LIVES_MS.length] ?? 0) * Math.random())
        const from = performance.now()
        await killApp(folder.path)
        kills.push({ from, to: performance.now() })
      }
      await appServes(folder.path)
    })
    const seen = timesSeen()
    const repeatedUpstream = asked.filter(({ prompt }) => (seen.get(prompt)?.length ?? 0) > 2).length
    report('kills', KILLS, asked, `${await passed()} passed by, ${repeatedUpstream} reached the API more than twice`)
    expect(asked.length).toBeGreaterThan(KILLS)
    const during = ({ from, to }: Span) => kills.filter((kill) => kill.from <= to && kill.to >= from).length
    expect(asked.filter(({ tries, time }) => tries - 1 > during(time))).toEqual([])
    await allEnded()
  },
  TIME_LIMIT_MS,
)

test(
  'restarts at random moments: nothing is cut, repeated or passed by',
  async () => {
    await using kept = await startKept(folder.path, upstream.url)
    const asked = await underClients(kept, 'restart', async () => {
      for (let round = 0; round < RESTARTS; round += 1) {
        await pause(1000 * Math.random())
        expect(await aspy(['restart', '--data', folder.path])).toMatchObject({ code: 0, stderr: '' })
      }
    })
    const seen = timesSeen()
    expect(asked.filter(({ prompt, tries }) => tries > 1 || seen.get(prompt)?.length !== 1)).toEqual([])
    expect(await passed()).toBe(0)
    await allEnded()
    const recorded = () => inStore("SELECT count(*) FROM events WHERE kind = 'model_response'")
    await until('every answer is recorded', () => Promise.resolve(recorded() === asked.length))
    report('restarts', RESTARTS, asked, 'all recorded')
  },
  TIME_LIMIT_MS,
)
