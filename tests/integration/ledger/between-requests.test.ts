import { expect, test } from 'vitest'
import { cacheList } from '../../../src/main/operations/reader/cache.ts'
import { MINUTE_MS } from '../../../src/shared/time-units.ts'
import { SEED } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import {
  bodyOf,
  continueConversation,
  newConversation,
  type Conversation,
} from '../../support/upstream/planted-misses.ts'
import { simulatedSessions } from '../../support/upstream/simulated-sessions.ts'

type Simulated = ReturnType<typeof simulatedSessions>

interface Told extends Simulated {
  readonly main: Conversation
  readonly random: () => number
  /** Goes on and asks. */
  readonly next: () => Promise<unknown>
  readonly asked: (session?: string, agent?: string) => Parameters<Simulated['send']>[0]
  readonly wait: (minutes: number) => void
}

const blocksAt = ({ messages }: Conversation, at: number): { type: string; text: string }[] => {
  const content = messages.at(at)?.content
  return Array.isArray(content) ? content : []
}

/** Takes two turns, and goes back over both to say something else. */
async function goBack({ main, next }: Told, between: () => void): Promise<void> {
  await next()
  await next()
  main.messages.splice(-4)
  between()
  await next()
}

/** What happens after two requests of a conversation, and the causes that are named then. */
const STORIES: Readonly<Record<string, readonly [kinds: readonly string[], tell: (told: Told) => Promise<unknown>]>> = {
  'a refused request keeps nothing alive': [
    ['ttl_expired'],
    async ({ next, refuse, asked, wait }) => {
      wait(4.5)
      await refuse(asked())
      wait(1)
      await next()
    },
  ],
  'a count of tokens keeps nothing alive': [
    ['ttl_expired'],
    async ({ next, count, asked, wait }) => {
      wait(4.5)
      await count(asked())
      wait(1)
      await next()
    },
  ],
  'an answer that was cut kept it alive': [
    [],
    async ({ next, lose, asked, wait }) => {
      wait(4.5)
      await lose(asked())
      wait(1)
      await next()
    },
  ],
  'a cut answer, then a retry with another tool': [
    ['tools_changed'],
    async ({ main, send, lose, asked }) => {
      continueConversation(main, seeded(5))
      await lose(asked())
      main.tools.push({ name: 'mcp__late__one', description: 'does one thing' })
      await send(asked())
    },
  ],
  'refused, then the same again with nothing lost': [
    [],
    async ({ main, send, refuse, asked }) => {
      continueConversation(main, seeded(5))
      for (let attempt = 0; attempt < 3; attempt += 1) await refuse(asked())
      await send(asked())
    },
  ],
  'another model and back in time': [
    ['model_changed'],
    async ({ main, next }) => {
      const { model } = main
      main.model = 'claude-sonnet-4-6'
      await next()
      main.model = model
      await next()
    },
  ],
  'another model, and back too late': [
    ['model_changed', 'ttl_expired'],
    async ({ main, next, wait }) => {
      const { model } = main
      main.model = 'claude-sonnet-4-6'
      await next()
      wait(3)
      await next()
      wait(3)
      main.model = model
      await next()
    },
  ],
  'two agents that share a beginning': [
    [],
    async ({ send, asked, next }) => {
      const own = (id: string) => {
        const { body, ...rest } = asked(undefined, id)
        return { ...rest, body: { ...body, system: [{ type: 'text', text: 'You are an agent. '.repeat(400) }] } }
      }
      await send(own('a1'))
      await send(own('a2'))
      await send(own('a1'))
      await next()
    },
  ],
  'a longer life, then a shorter one': [
    ['ttl_expired'],
    async ({ main, next, wait }) => {
      main.ttl = '1h'
      await next()
      main.ttl = '5m'
      await next()
      wait(20)
      await next()
      await next()
    },
  ],
  'a fork that goes on too late': [
    [],
    async ({ main, send, asked, wait, random }) => {
      wait(7)
      continueConversation(main, random)
      await send(asked('fork'))
    },
  ],
  'a server that connects again with another description': [
    ['tools_changed', 'tools_changed'],
    async ({ main, next }) => {
      main.tools.push({ name: 'mcp__zoo__one', description: 'counts' })
      await next()
      main.tools.splice(-1, 1, { name: 'mcp__zoo__one', description: 'counts zebras' })
      await next()
    },
  ],
  'the mark goes back to an earlier message, and forward again': [
    ['marks_changed'],
    async ({ main, next }) => {
      main.marksEnd = false
      await next()
      main.marksEnd = true
      await next()
    },
  ],
  'an effort that is changed and changed back': [
    ['parameters_changed', 'parameters_changed'],
    async ({ main, next }) => {
      const { parameters } = main
      main.parameters = { ...parameters, output_config: { effort: 'low' } }
      await next()
      main.parameters = parameters
      await next()
    },
  ],
  'a reminder at the end that is gone from the next request': [
    ['messages_changed'],
    async ({ main, random, send, asked, next }) => {
      continueConversation(main, random, 2)
      await send(asked())
      blocksAt(main, -1).pop()
      await next()
    },
  ],
  'back to an earlier prompt, in time': [[], (told) => goBack(told, () => undefined)],
  'back to an earlier prompt, after a pause': [['ttl_expired'], (told) => goBack(told, () => told.wait(6))],
  'back to an earlier prompt, which the API lost': [['unknown'], (told) => goBack(told, () => told.simulator.evict())],
  'back, and a word that was said before': [
    [],
    async ({ main, random, send, asked }) => {
      for (let turn = 0; turn < 3; turn += 1) {
        continueConversation(main, random)
        main.messages.splice(-1, 1, { role: 'user', content: [{ type: 'text', text: 'continue' }] })
        await send(asked())
      }
      main.messages.splice(-6)
      continueConversation(main, random)
      main.messages.splice(-1, 1, { role: 'user', content: [{ type: 'text', text: 'continue' }] })
      await send(asked())
    },
  ],
  'the first prompt in other words, with the same environment': [
    ['messages_changed'],
    async ({ main, random, send, asked, next }) => {
      main.messages.splice(1, 0, { role: 'system', content: [{ type: 'text', text: '# Environment '.repeat(30) }] })
      await next()
      const { messages } = newConversation(random)
      blocksAt(main, 0).splice(-1, 1, ...(messages[0]?.content.slice(-1) as { type: string; text: string }[]))
      main.messages.splice(2)
      await send(asked())
    },
  ],
  'a large system prompt that another session keeps alive, and a short conversation': [
    ['ttl_expired'],
    async ({ main, random, send, wait }) => {
      const small = {
        ...newConversation(random),
        system: [main.system[1]?.repeat(9) ?? ''],
        tools: [],
        ttl: '5m' as const,
      }
      const ask = (session: string) => send({ session, body: bodyOf(structuredClone(small)), betas: [] })
      small.messages = [{ role: 'user', content: [{ type: 'text', text: 'Name a planet of the sun.' }] }]
      await ask('small')
      const { messages } = structuredClone(small)
      wait(4)
      small.messages = [{ role: 'user', content: [{ type: 'text', text: 'Name a river.' }] }]
      await ask('other')
      wait(3)
      small.messages = messages
      continueConversation(small, random)
      await ask('small')
    },
  ],
  'a gateway that does not say the life, and another tool within the hour': [
    ['tools_changed'],
    async ({ main, send, asked, random, wait }) => {
      main.ttl = '1h'
      continueConversation(main, random)
      await send({ ...asked(), unsplit: true })
      wait(20)
      main.tools.push({ name: 'mcp__late__one', description: 'does one thing' })
      await send({ ...asked(), unsplit: true })
    },
  ],
  'a replay that keeps it alive, then another tool': [
    ['tools_changed'],
    async ({ main, send, asked, next, wait }) => {
      wait(4)
      const { body, ...rest } = asked()
      await send({ ...rest, body: { ...body, max_tokens: 1 } })
      wait(4)
      main.tools.push({ name: 'mcp__late__one', description: 'does one thing' })
      await next()
    },
  ],
  'a forked agent that keeps it alive, then an eviction': [
    ['provider'],
    async ({ main, send, asked, next, wait, simulator }) => {
      wait(4)
      const agent = structuredClone(main)
      continueConversation(agent, seeded(3))
      await send({ ...asked(undefined, 'a1'), body: bodyOf(agent) })
      wait(4)
      simulator.evict()
      await next()
    },
  ],
  'an eviction at the very end of the lifetime': [
    ['unknown'],
    async ({ next, wait, simulator }) => {
      wait(5 - 20.5 / 60)
      simulator.evict()
      await next()
    },
  ],
  'an answer that came after the next one, then an eviction': [
    ['provider'],
    async ({ main, start, asked, next, random, simulator }) => {
      continueConversation(main, random)
      const end = await start(asked())
      await next()
      await end()
      simulator.evict()
      await next()
    },
  ],
  'another conversation with its own tools in the same line, then an eviction': [
    ['provider'],
    async ({ random, send, next, simulator }) => {
      const { betas, ...other } = newConversation(random)
      other.tools = [{ name: 'Search', description: 'finds words' }]
      await send({ session: 'main', body: bodyOf({ betas, ...other }), betas })
      simulator.evict()
      await next()
    },
  ],
  'an eviction after a refused request': [
    ['provider'],
    async ({ next, refuse, asked, simulator }) => {
      await refuse(asked())
      simulator.evict()
      await next()
    },
  ],
}

test('what happens between two requests decides: refused, cut, counted, switched and back', async () => {
  const found: { [story: string]: readonly string[] } = {}
  for (const [at, [story, [, tell]]] of Object.entries(STORIES).entries()) {
    const simulated = simulatedSessions()
    const random = seeded(SEED + at)
    const main = newConversation(random)
    main.ttl = '5m'
    const asked = (session = 'main', agent?: string) =>
      structuredClone({ session, ...(agent === undefined ? {} : { agent }), body: bodyOf(main), betas: main.betas })
    const next = async () => {
      continueConversation(main, random)
      return simulated.send(asked())
    }
    await simulated.send(asked())
    await next()
    const wait = (minutes: number) => void (simulated.simulator.now += minutes * MINUTE_MS)
    await tell({ ...simulated, main, random, next, asked, wait })
    found[story] = reading(simulated.dbPath, (reader) =>
      cacheList(reader, { limit: 500 })
        .items.map(({ cause }) => cause.kind)
        .filter((kind) => kind !== 'first_request')
        .toReversed(),
    )
    simulated.store.close()
  }
  expect(found).toEqual(Object.fromEntries(Object.entries(STORIES).map(([story, [kinds]]) => [story, kinds])))
})
