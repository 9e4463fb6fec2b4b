import { expect, test } from 'vitest'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import { reading } from '../../support/store/reading.ts'
import { seeded } from '../../support/store/history.ts'
import { bill } from '../../support/upstream/cache-simulator.ts'
import { RATES } from '../../support/upstream/simulated-sessions.ts'
import { costOf, leftBy, ToldMonths, wordsOf, type ToldSession } from '../../support/upstream/told-months.ts'

const adviceIn = ({ dbPath }: ToldMonths) => reading(dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)
const random = seeded(7)
/** About 6,000 tokens. */
const LOG = (): string => wordsOf(random, 3500)

/** Sessions in which a command writes a long text, and other turns follow. */
async function told(tell: (session: ToldSession, day: number) => Promise<void>): Promise<ToldMonths> {
  const month = new ToldMonths()
  for (let day = 0; day < 12; day += 1) await tell(month.begin('/work/app'), day)
  return month
}

test('an output that is carried for the rest of a session costs what later turns pay for it', async () => {
  const month = await told(async (session) => {
    await session.run('Bash', { command: 'npm run build -- --verbose' }, LOG())
    await session.answer()
    for (let turn = 0; turn < 6; turn += 1) await session.ask()
  })
  const [item, ...others] = adviceIn(month)
  expect(others).toEqual([])
  expect(item).toMatchObject({
    kind: 'large_output',
    opportunities: 12,
    headline: expect.stringContaining('npm run build'),
  })
  expect(item?.evidence).toHaveLength(12)
  // Twelve sessions with six later requests, each of which reads it.
  const tokens = Math.ceil(JSON.stringify(LOG()).length / 4)
  const usd = (12 * 6 * tokens * RATES.read) / 1e6
  expect(item?.usd_per_month).toBeGreaterThan(0.9 * usd)
  expect(item?.usd_per_month).toBeLessThan(1.1 * usd)
})

test('an output that a later answer repeats, that ends its session, or that was a file, is not carried for nothing', async () => {
  const repeated = await told(async (session) => {
    const log = LOG()
    await session.run('Bash', { command: 'npm run build' }, log)
    await session.answer()
    for (let turn = 0; turn < 5; turn += 1) await session.ask()
    await session.ask({ says: `It says: ${log.slice(1000, 1400)}` })
  })
  expect(adviceIn(repeated)).toEqual([])
  const last = await told(async (session) => {
    for (let turn = 0; turn < 6; turn += 1) await session.ask()
    await session.run('Bash', { command: 'npm run build' }, LOG())
    await session.answer()
  })
  expect(adviceIn(last)).toEqual([])
  const file = await told(async (session) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, LOG())
    await session.answer()
    for (let turn = 0; turn < 6; turn += 1) await session.ask()
  })
  expect(adviceIn(file)).toEqual([])
})

/** An agent that takes steps, each with a result of so many words. */
async function agentRun(
  session: ToldSession,
  id: string,
  { own, steps, reads }: { own: number; steps: number; reads: number },
) {
  const prompt = `Find ${wordsOf(random, 12)}`
  const start = await session.run(
    'Task',
    { subagent_type: 'scout', description: 'Find', prompt },
    'It is in the main file.',
  )
  const agent = session.agent(prompt, own)
  const usages = []
  for (let step = 0; step < steps; step += 1) {
    usages.push(await agent.run('Grep', { pattern: `x${step}` }, wordsOf(random, reads), { agent: id }))
  }
  usages.push(await agent.answer({ agent: id }))
  return { start, usages, next: await session.answer() }
}

test('an agent that starts with more than it reads costs more than the same steps without it', async () => {
  let extra = 0
  const month = await told(async (session, day) => {
    await session.ask()
    const { start, usages, next } = await agentRun(session, `a${day}`, { own: 6000, steps: 2, reads: 30 })
    const [first] = usages
    const context = leftBy(start) + start.input + 10
    let [grown, inside] = [0, 0]
    for (const usage of usages) {
      const now = leftBy(usage) + usage.input - leftBy(first ?? usage) - (first ?? usage).input
      inside += costOf({ input: 0, read: context + grown, written5m: now - grown, written1h: 0 })
      grown = now
    }
    const carried = Math.max(0, grown + 10 - Math.max(0, leftBy(next) + next.input - context))
    inside += bill({ input: 0, read: carried, written5m: 0, written1h: 0 }, RATES)
    extra += usages.reduce((sum, usage) => sum + costOf(usage), 0) - inside
  })
  const [item, ...others] = adviceIn(month)
  expect(others).toEqual([])
  expect(item).toMatchObject({ kind: 'costly_agents', opportunities: 12, headline: expect.stringContaining('scout') })
  expect(extra).toBeGreaterThan(0)
  expect(Math.abs((item?.usd_per_month ?? 0) - extra)).toBeLessThan(1e-9)
})

test('an agent that reads much and answers briefly pays in a conversation that goes on', async () => {
  const month = await told(async (session, day) => {
    await session.ask()
    await agentRun(session, `a${day}`, { own: 600, steps: 3, reads: 3000 })
    for (let turn = 0; turn < 12; turn += 1) await session.ask()
  })
  expect(adviceIn(month)).toEqual([])
})
