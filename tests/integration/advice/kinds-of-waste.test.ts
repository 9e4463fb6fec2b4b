import { expect, test } from 'vitest'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import { MINUTE_MS } from '../../../src/shared/time-units.ts'
import { reading } from '../../support/store/reading.ts'
import { leftBy, ToldMonths, wasteOf, type ToldSession } from '../../support/upstream/told-months.ts'

const adviceIn = ({ dbPath }: ToldMonths) => reading(dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)

/** Asks again after a pause; returns the USD that an expired cache cost. */
async function returnAfter(month: ToldMonths, session: ToldSession, minutes: number): Promise<number> {
  const left = leftBy(await session.ask())
  month.wait(minutes * MINUTE_MS)
  return wasteOf(await session.ask(), left)
}

test('pauses that cost the cache: the stake is what was written again, and an hour of cache pays', async () => {
  const month = new ToldMonths()
  let waste = 0
  for (let day = 0; day < 12; day += 1) {
    waste += await returnAfter(month, month.begin(day % 2 === 0 ? '/work/app' : `/work/app/.worktrees/${day}`), 12)
  }
  const [item, ...others] = adviceIn(month)
  expect(others).toEqual([])
  expect(item).toMatchObject({
    kind: 'pauses',
    scope: { project: '/work/app' },
    opportunities: 12,
    state: 'open',
    checked: null,
    headline: expect.stringMatching(/ 12 of 12 .*, in 12 sessions: .* in 6 recorded days to write it again$/),
    fix: { title: expect.stringContaining('hour'), files: [] },
  })
  expect(item?.evidence).toHaveLength(12)
  expect(item?.cases.map(({ uuid }) => uuid)).toEqual(item?.evidence)
  expect(new Set(item?.cases.map(({ session_id: session }) => session)).size).toBe(12)
  expect(Math.abs(item?.cases.reduce((sum, { usd }) => sum + usd, -waste) ?? 1)).toBeLessThan(1e-9)
  expect(Math.abs((item?.usd_per_month ?? 0) - waste)).toBeLessThan(1e-9)
  expect(item?.band[0]).toBeLessThan(waste)
  expect(item?.band[1]).toBeGreaterThan(waste)
})

test('pauses of nine returns, pauses within the lifetime, and one pause among many are not worth a word', async () => {
  const nine = new ToldMonths()
  for (let day = 0; day < 9; day += 1) await returnAfter(nine, nine.begin('/work/app'), 12)
  expect(adviceIn(nine)).toEqual([])
  const short = new ToldMonths()
  for (let day = 0; day < 12; day += 1) await returnAfter(short, short.begin('/work/app'), 4)
  expect(adviceIn(short)).toEqual([])
  const hour = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = hour.begin('/work/app')
    session.conversation.ttl = '1h'
    await returnAfter(hour, session, 40)
  }
  expect(adviceIn(hour)).toEqual([])
})

test('pauses over an hour: a compaction before them, if the conversation is long enough to pay for it', async () => {
  const long = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = long.begin('/work/app')
    await session.ask()
    await session.run('Read', { file_path: '/work/app/all.ts' }, 'the rules '.repeat(30_000))
    await returnAfter(long, session, 90)
  }
  expect(adviceIn(long)).toMatchObject([{ kind: 'pauses', fix: { title: expect.stringContaining('small') } }])
  const small = new ToldMonths()
  for (let day = 0; day < 12; day += 1) await returnAfter(small, small.begin('/work/app'), 90)
  expect(adviceIn(small)).toEqual([])
})

test('an hour of cache is not suggested where the newest writes have it already', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 14; day += 1) {
    const session = month.begin('/work/app')
    session.conversation.ttl = day < 12 ? '5m' : '1h'
    await returnAfter(month, session, 12)
  }
  expect(adviceIn(month)).toEqual([])
})

test('an hour of cache that an update took away is said to have begun with that version', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 24; day += 1) {
    month.version = day < 12 ? '2.1.217' : '2.1.218'
    const session = month.begin('/work/app')
    session.conversation.ttl = day < 12 ? '1h' : '5m'
    await returnAfter(month, session, 20)
  }
  const [item] = adviceIn(month)
  expect(item?.headline).toMatch(/12 of 24 .*It began with version 2\.1\.218 of the client$/)
  expect([item?.fix?.title, item?.fix?.steps.at(-1)]).toEqual([
    'Keep the cache for an hour in this project',
    expect.stringContaining('Version 2.1.217 did not do this'),
  ])
})

test('a server that connects late breaks the cache; the same change once does not matter', async () => {
  const month = new ToldMonths()
  let waste = 0
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin('/work/app')
    const left = leftBy(await session.ask())
    session.conversation.tools.push({ name: 'mcp__late__find', description: 'finds '.repeat(80) })
    const usage = await session.ask({ calls: 'mcp__late__find' })
    waste += wasteOf(usage, Math.min(left, leftBy(usage)))
    await session.ask()
  }
  const [item, ...others] = adviceIn(month)
  expect(others).toEqual([])
  expect(item).toMatchObject({ kind: 'broken_cache', headline: expect.stringContaining('late') })
  expect(Math.abs((item?.usd_per_month ?? 0) - waste)).toBeLessThan(1e-9)
})

test('a server that is carried and never called, where another one is', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin('/work/app')
    session.conversation.tools.push(
      { name: 'mcp__idle__one', description: 'does one thing '.repeat(60) },
      { name: 'mcp__busy__one', description: 'does another '.repeat(60) },
    )
    await session.ask({ calls: 'mcp__busy__one' })
    await session.ask()
  }
  const items = adviceIn(month)
  expect(items).toMatchObject([
    { kind: 'carried_unused', opportunities: 12, headline: expect.stringContaining('idle') },
  ])
  expect(items[0]?.usd_per_month).toBeGreaterThan(0)
})

test('small servers that nothing calls are worth a word together, each of them is not', async () => {
  const told = async (count: number) => {
    const month = new ToldMonths()
    for (let day = 0; day < 12; day += 1) {
      const session = month.begin('/work/app')
      const idle = ['one', 'two', 'three', 'four', 'five'].slice(0, count)
      const tools = [...idle.map((name) => `mcp__${name}__do`), 'mcp__busy__do']
      session.conversation.tools.push(...tools.map((name) => ({ name, description: 'does one thing '.repeat(6) })))
      await session.ask({ calls: 'mcp__busy__do' })
      for (let turn = 0; turn < 3; turn += 1) await session.ask()
    }
    return adviceIn(month)
  }
  expect(await told(1)).toEqual([])
  expect(await told(5)).toMatchObject([
    {
      kind: 'carried_unused',
      hits: 12,
      headline: expect.stringContaining('5 tools of the MCP servers "five", "four"'),
    },
  ])
})

test('a server whose name changes is one server', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = month.begin('/work/app')
    session.conversation.tools.push(
      { name: `mcp__idle_x${day}__one`, description: 'does one thing '.repeat(60) },
      { name: `mcp__busy_x${day}__one`, description: 'does another '.repeat(60) },
    )
    await session.ask({ calls: `mcp__busy_x${day}__one` })
    session.conversation.tools.push({ name: `mcp__late_x${day}__find`, description: 'finds '.repeat(80) })
    await session.ask({ calls: `mcp__late_x${day}__find` })
    await session.ask()
  }
  expect(adviceIn(month)).toMatchObject([
    { kind: 'broken_cache', hits: 12, headline: expect.stringContaining('"late_x11"') },
    { kind: 'carried_unused', hits: 12, headline: expect.stringContaining('"idle_x11"') },
  ])
})

test('never called is not said where no call of any server was seen, nor before ten sessions', async () => {
  const idle = { name: 'mcp__idle__one', description: 'does one thing '.repeat(60) }
  const unseen = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = unseen.begin('/work/app')
    session.conversation.tools.push(idle)
    await session.ask({ calls: 'Bash' })
  }
  expect(adviceIn(unseen)).toEqual([])
  const few = new ToldMonths()
  for (let day = 0; day < 12; day += 1) {
    const session = few.begin('/work/app')
    session.conversation.tools.push(idle, { ...idle, name: 'mcp__busy__one' })
    if (day > 2) session.conversation.tools.splice(-2, 1)
    await session.ask({ calls: 'mcp__busy__one' })
  }
  expect(adviceIn(few)).toEqual([])
})

test('a server whose resources are read or whose prompts are entered is in use, though no tool of it is called', async () => {
  const told = async (use: (session: ToldSession) => Promise<unknown>) => {
    const month = new ToldMonths()
    for (let day = 0; day < 12; day += 1) {
      const session = month.begin('/work/app')
      session.conversation.tools.push(
        { name: 'mcp__team_docs__one', description: 'does one thing '.repeat(60) },
        { name: 'mcp__busy__one', description: 'does another '.repeat(10) },
      )
      await session.ask({ calls: 'mcp__busy__one' })
      await use(session)
      await session.ask()
    }
    return adviceIn(month).map(({ kind }) => kind)
  }
  const read = (server: string) => (session: ToldSession) =>
    session.run('ReadMcpResourceTool', { server, uri: 'docs://rules' }, 'the rules')
  expect(await told(read('team docs'))).toEqual([])
  expect(await told(read('other'))).toEqual(['carried_unused'])
  const enter = (command: string) => (session: ToldSession) => {
    const text = `<command-message>${command}</command-message>\n<command-name>/${command}</command-name>`
    Object.assign(session.conversation.messages.at(-1) ?? {}, { content: [{ type: 'text', text }] })
    return session.ask()
  }
  expect(await told(enter('mcp__team_docs__review'))).toEqual([])
  expect(await told(enter('review'))).toEqual(['carried_unused'])
})

test('no token is claimed twice, and all suggestions together cost no more than what was spent', async () => {
  const month = new ToldMonths()
  for (let day = 0; day < 14; day += 1) {
    const session = month.begin('/work/app')
    session.conversation.tools.push(
      { name: 'mcp__idle__one', description: 'does one thing '.repeat(400) },
      { name: 'mcp__busy__one', description: 'does another '.repeat(10) },
    )
    await returnAfter(month, session, 12)
    session.conversation.system[1] += ' changed'
    await session.ask({ calls: 'mcp__busy__one' })
    await returnAfter(month, session, 30)
  }
  const items = adviceIn(month)
  expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['pauses', 'broken_cache', 'carried_unused']))
  const sum = items.reduce((total, { usd_per_month: usd }) => total + usd, 0)
  expect(sum).toBeGreaterThan(0)
  expect(sum).toBeLessThan(month.spent)
})
