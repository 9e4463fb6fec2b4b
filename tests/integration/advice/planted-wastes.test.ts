import { expect, test } from 'vitest'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import { MINUTE_MS } from '../../../src/shared/time-units.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { ToldMonths, wordsOf, type ToldSession } from '../../support/upstream/told-months.ts'

/** Months of work on the wire: some have one planted waste, others only look like it. */
type Tell = (month: ToldMonths, session: ToldSession, day: number, of: Variation) => Promise<unknown>

/** How one month differs from the others. */
interface Variation {
  readonly days: number
  readonly minutes: number
  readonly words: number
  readonly turns: number
  readonly random: () => number
}

const asks = async (session: ToldSession, turns: number) => {
  for (let turn = 0; turn < turns; turn += 1) await session.ask()
}
const server = (name: string, words: number) => ({
  name: `mcp__${name}__one`,
  description: 'does a thing '.repeat(words),
})

const WASTES: Readonly<Record<string, Tell>> = {
  pauses: async (month, session, _, { minutes, turns }) => {
    await asks(session, turns)
    month.wait((6 + minutes) * MINUTE_MS)
    await session.ask()
  },
  broken_cache: async (_, session, day, { words, turns }) => {
    await session.ask()
    if (day % 2 === 0) session.conversation.system[1] += ' changed'
    else session.conversation.tools.push(server('late', words))
    await asks(session, turns)
  },
  carried_unused: async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(server('idle', words), server('busy', words))
    await session.ask({ calls: 'mcp__busy__one' })
    await asks(session, turns)
  },
  large_output: async (_, session, __, { words, turns, random }) => {
    await session.run('Bash', { command: 'npm run build -- --verbose' }, wordsOf(random, 3000 + words))
    await session.answer()
    await asks(session, turns + 4)
  },
}

const CLEAN: Readonly<Record<string, Tell>> = {
  'pauses within the life of the cache': async (month, session, _, { turns }) => {
    await asks(session, turns)
    month.wait(4 * MINUTE_MS)
    await session.ask()
  },
  'pauses within an hour of cache': async (month, session, _, { minutes }) => {
    session.conversation.ttl = '1h'
    await session.ask()
    month.wait((5 + minutes) * MINUTE_MS)
    await session.ask()
  },
  'a setup that changes once': async (_, session, day, { turns }) => {
    await session.ask()
    if (day === 3) session.conversation.system[1] += ' changed'
    await asks(session, turns)
  },
  'a server where no call of any was seen': async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(server('idle', words))
    await asks(session, turns)
  },
  'servers that are all called': async (_, session, __, { words }) => {
    session.conversation.tools.push(server('one', words), server('two', words))
    await session.ask({ calls: 'mcp__one__one' })
    await session.ask({ calls: 'mcp__two__one' })
  },
  'a long output at the end of a session': async (_, session, __, { words, turns, random }) => {
    await asks(session, turns)
    await session.run('Bash', { command: 'npm run build' }, wordsOf(random, 3000 + words))
    await session.answer()
  },
  'a long file that is read': async (_, session, __, { words, turns, random }) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, wordsOf(random, 3000 + words))
    await session.answer()
    await asks(session, turns + 4)
  },
}

/** Tells a month; returns the kinds of the suggestions. */
async function kindsOf(tell: Tell, seed: number): Promise<string[]> {
  const random = seeded(seed)
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const of = { days: between(11, 15), minutes: between(1, 40), words: between(60, 300), turns: between(1, 3), random }
  const month = new ToldMonths()
  for (let day = 0; day < of.days; day += 1) await tell(month, month.begin(`/work/app-${seed}`), day, of)
  return reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }).items.map(({ kind }) => kind))
}

const each = (tells: Readonly<Record<string, Tell>>, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const names = Object.keys(tells)
    const name = names[at % names.length] ?? ''
    return { name, tell: tells[name] as Tell, seed: 100 + at }
  })

test('planted wastes are found, and nothing else is suggested', async () => {
  let [found, right, wrong] = [0, 0, 0]
  const missed: string[] = []
  const planted = each(WASTES, isHeavy ? 80 : 8)
  for (const { name, tell, seed } of planted) {
    const kinds = await kindsOf(tell, seed)
    if (kinds.includes(name)) found += 1
    else missed.push(`${name} ${seed}: ${kinds.join(', ')}`)
    right += kinds.filter((kind) => kind === name).length
    wrong += kinds.filter((kind) => kind !== name).length
  }
  for (const { name, tell, seed } of each(CLEAN, isHeavy ? 60 : 7)) {
    const kinds = await kindsOf(tell, seed)
    wrong += kinds.length
    if (kinds.length > 0) missed.push(`${name} ${seed}: ${kinds.join(', ')}`)
  }
  expect(found / planted.length, missed.join('\n')).toBeGreaterThanOrEqual(0.9)
  expect(right / (right + wrong), missed.join('\n')).toBeGreaterThanOrEqual(0.95)
})
