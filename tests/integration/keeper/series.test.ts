import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ask, type Question } from '../../support/app/ask.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { InstalledBuilds } from '../../support/keeper/installed-builds.ts'
import { startKept, startKeptFrom, type KeptApp } from '../../support/keeper/kept-app.ts'
import { appServes, killApp } from '../../support/keeper/kill-app.ts'
import { isHeavy, runs } from '../../support/runner/heavy.ts'
import { readStore } from '../../support/store/folder.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Kills and restarts at random moments, under clients that ask without pause and repeat what is cut. */

const KILLS = runs(10, 500)
const RESTARTS = runs(10, 100)
const MIGRATIONS = runs(1, 20)
/** Longest lives of apps before they are killed, in turn: few of them live long enough to count as steady. */
const LIVES_MS = isHeavy ? [1000, 3000, 3000, 15_000] : [500]
const CLIENTS = 4
/** Agents of each client, which ask at the same time. */
const AGENTS = isHeavy ? 5 : 1
const LONGEST_ANSWER_MS = isHeavy ? 3000 : 600
/** Before a kill, what was answered within this time may be lost: it is not recorded yet. Two kills alone say nothing of it. */
const UNWRITTEN_MS = isHeavy ? 2000 : 60_000
/** Clients wait longer. At once, a repetition may be sent on another kept connection of the app that was just killed. */
const BEFORE_AGAIN_MS = 100
const TIME_LIMIT_MS = isHeavy ? 5 * 60 * 60_000 : 480_000

let upstream: MessagesUpstream
let folder: TempFolder
beforeAll(async () => {
  upstream = await startMessagesUpstream(({ body }) => {
    const name = lastUserText(body)
    setTimeout(() => upstream.release(name), LONGEST_ANSWER_MS * Math.random())
    return { steps: [{ text: 'begun, ' }, { hold: name }, { text: `ended ${name}.` }] }
  })
})
afterAll(() => upstream.close())
beforeEach(() => (folder = makeTempFolder('aspy-series-')))
const data = () => join(folder.path, 'data')
afterEach(() => folder.remove())

const MAIN = 'main'
const AGENT_NAMES = [MAIN, 'a1', 'a2', 'a3', 'a4']

interface Asked {
  readonly session: string
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

/** One agent of a client: asks until it has to end. A run that ends with an error rejects. */
async function agent(kept: KeptApp, session: string, name: string, ending: AbortSignal): Promise<Asked[]> {
  const asked: Asked[] = []
  while (!ending.aborted) {
    const prompt = `${session} ${name} ${asked.length}`
    const question = { prompt, session, headers: name === MAIN ? {} : { 'x-claude-code-agent-id': name } }
    const from = performance.now()
    let waitMs = await tried(kept, question)
    let tries = 1
    for (; waitMs === null; tries += 1) {
      await pause(BEFORE_AGAIN_MS)
      waitMs = await tried(kept, question)
    }
    asked.push({ session, prompt, tries, waitMs, time: { from, to: performance.now() } })
  }
  return asked
}

/**
 * Returns how long it waited for an answer to begin; null if that was cut, or the connection. An answer of another kind is
 * an error that ends a run.
 */
async function tried(kept: KeptApp, question: Question): Promise<number | null> {
  const from = performance.now()
  const response = await ask(kept.proxy, question).catch(() => null)
  if (response === null) return null
  const waitMs = performance.now() - from
  const text = await response.text().catch(() => '')
  if (response.status !== 200) throw new Error(`${String(question.prompt)}: ${response.status} ${text}`)
  return text.includes('message_stop') ? waitMs : null
}

/** Runs clients while something happens to their app, and returns what they asked. */
async function underClients(kept: KeptApp, series: string, work: () => Promise<void>): Promise<Asked[]> {
  const ending = new AbortController()
  const agents = Array.from({ length: CLIENTS * AGENTS }, (_, at) =>
    agent(kept, `${series}-${at % CLIENTS}`, AGENT_NAMES[Math.floor(at / CLIENTS)] ?? MAIN, ending.signal),
  )
  await work().finally(() => ending.abort())
  return (await Promise.all(agents)).flat()
}

const timesSeen = () => Map.groupBy(upstream.requests, ({ body }) => lastUserText(body))
const inStore = <T>(sql: string) =>
  readStore(join(data(), 'lifestats.db'), (db) => db.prepare<[], T>(sql).pluck().all())
/** The prompts whose answers were recorded whole. */
const recorded = () =>
  new Set(
    inStore<string>('SELECT content FROM assistant_responses').flatMap((text) => /ended (.*)\./.exec(text)?.[1] ?? []),
  )
const notRecorded = (asked: readonly Asked[]) => {
  const stored = recorded()
  return asked.filter(({ prompt }) => !stored.has(prompt))
}
const promptsWithoutEnd = () =>
  readStore(join(data(), 'lifestats.db'), (db) =>
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
  Object.values((await askKeeper(data(), 'status'))?.passed.requests ?? {}).reduce((sum, each) => sum + each, 0)

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
    await using kept = await startKept(data(), upstream.url)
    const kills: Span[] = []
    const asked = await underClients(kept, 'kill', async () => {
      for (let round = 0; round < KILLS; round += 1) {
        await appServes(data())
        await pause((LIVES_MS[round % LIVES_MS.length] ?? 0) * Math.random())
        const from = performance.now()
        await killApp(data())
        kills.push({ from, to: performance.now() })
        if (round % 50 === 49) console.log(`${round + 1} kills, ${new Date().toISOString()}`)
      }
      await appServes(data())
    })
    const during = ({ from, to }: Span) => kills.filter((kill) => kill.from <= to && kill.to >= from).length
    const isUnwritten = ({ to }: Span) => kills.some((kill) => kill.to >= to && kill.from - to < UNWRITTEN_MS)
    await allEnded()
    const missing = () => notRecorded(asked)
    const lost = () => missing().filter(({ time }) => !isUnwritten(time)).length
    // The last answers may still be on their way.
    const passedBy = await passed()
    await expect.poll(lost).toBeLessThanOrEqual(passedBy)
    const seen = timesSeen()
    const timesAsked = Math.max(...[...seen.values()].map(({ length }) => length))
    const more = asked.filter(({ tries, time }) => tries - 1 > during(time))
    report(
      'kills',
      KILLS,
      asked,
      `${passedBy} passed by, ${missing().length} not recorded, ${missing().length - lost()} of them just before ` +
        `a kill; the API saw a request ${timesAsked} times at most; ${more.length} were repeated more often than a kill met them`,
    )
    expect(asked.length).toBeGreaterThan(KILLS)
    expect(more).toEqual([])
  },
  TIME_LIMIT_MS,
)

test.each([
  ['between two builds', RESTARTS, 0],
  ['each over a migration', MIGRATIONS, 1],
])(
  'restarts at random moments, %s: nothing is cut, repeated, passed by or lost',
  async (what, count, migrations) => {
    const builds = new InstalledBuilds(folder.path)
    builds.add('build-0')
    builds.install('build-0')
    await using kept = await startKeptFrom(builds.entry, data(), upstream.url)
    const asked = await underClients(kept, migrations === 0 ? 'restart' : 'migration', async () => {
      for (let round = 1; round <= count; round += 1) {
        const name = `build-${migrations === 0 ? round % 2 : round}`
        if (migrations > 0 || round === 1) builds.add(name, round * migrations)
        await pause(1000 * Math.random())
        builds.install(name)
        expect(await aspy(['restart', '--data', data()])).toMatchObject({ code: 0, stderr: '' })
      }
    })
    const seen = timesSeen()
    expect(asked.filter(({ prompt, tries }) => tries > 1 || seen.get(prompt)?.length !== 1)).toEqual([])
    expect(await passed()).toBe(0)
    await allEnded()
    await expect.poll(() => notRecorded(asked), { timeout: 60_000 }).toEqual([])
    report(`restarts ${what}`, count, asked, 'all recorded')
  },
  TIME_LIMIT_MS,
)
