import { expect, test } from 'vitest'
import { cacheList } from '../../../src/main/operations/reader/cache.ts'
import type { CacheMiss } from '../../../src/shared/contract/cache.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import type { SimulatedBody } from '../../support/upstream/cache-simulator.ts'
import { simulatedSessions } from '../../support/upstream/simulated-sessions.ts'
import { bodyOf, goOn, MODELS, newConversation, type VariedConversation } from './varied-conversations.ts'

const minimumOf = (model: string) => MODELS[model]?.minimum ?? Number.NaN

const missesOf = (dbPath: string): readonly CacheMiss[] =>
  reading(dbPath, (reader) =>
    cacheList(reader, { limit: 500 })
      .items.filter(({ cause }) => cause.kind !== 'first_request')
      .toReversed(),
  )

/** A conversation whose prompts are longer than any minimum, with a mark at the end of system and messages. */
function conversation(random: () => number, model = 'claude-sonnet-4-5'): VariedConversation {
  const made = newConversation(random)
  made.model = model
  made.marks = [
    { place: 'system', ttl: '5m' },
    { place: 'end', ttl: '5m' },
  ]
  if (typeof made.system === 'string') made.system = [{ type: 'text', text: made.system }]
  return made
}

/** What goes on beside the turns of a conversation, and changes nothing of its cache. */
const HARMLESS: Readonly<
  Record<
    string,
    (at: { readonly send: Send; readonly main: VariedConversation; readonly turn: number }) => Promise<unknown>
  >
> = {
  'the same request again': ({ send, main }) => send(bodyOf(main)),
  'a title by a small model': ({ send, main, turn }) =>
    send({
      model: 'claude-haiku-4-5',
      system: [{ type: 'text', text: 'Write a title for this conversation. Return JSON with a title field.' }],
      messages: [{ role: 'user', content: `prompt ${turn} of ${main.messages.length}` }],
    }),
  'other tokens and metadata': ({ send, main, turn }) =>
    send({ ...bodyOf(main), max_tokens: 1000 + turn, metadata: { user_id: `u${turn}` }, temperature: 1 }),
  'an agent of its own': ({ send, main }) => send({ ...bodyOf(main), system: 'You are an agent.' }, `a${main.model}`),
  'a prompt that is taken back': ({ send, main }) => {
    const { messages } = main
    const last = messages.at(-1)
    const edited = { role: 'user', content: [{ type: 'text', text: 'Something else instead.' }] }
    return send(bodyOf({ ...main, messages: [...messages.slice(0, -1), last === undefined ? edited : edited] }))
  },
  'another conversation': ({ send, turn }) => send(bodyOf(conversation(seeded(turn + 77)))),
}
type Send = (body: SimulatedBody, agent?: string) => Promise<unknown>

test.each(Object.keys(HARMLESS))('between the turns of a conversation: %s', async (name) => {
  const { dbPath, send } = simulatedSessions(minimumOf)
  for (let at = 0; at < runs(3, 40); at += 1) {
    const random = seeded(SEED + at)
    const main = conversation(random)
    const ask: Send = (body, agent) => send({ session: `s${at}`, body, betas: main.betas, ...(agent ? { agent } : {}) })
    await ask(bodyOf(main))
    for (let turn = 0; turn < 4; turn += 1) {
      goOn(main, random)
      await ask(bodyOf(main))
      await HARMLESS[name]?.({ send: ask, main, turn })
    }
    goOn(main, random)
    await ask(bodyOf(main))
  }
  const misses = missesOf(dbPath).filter(({ missed_tokens: missed }) => missed > 0)
  expect(misses.map(({ cause, read, could_read: could }) => ({ cause, read, could }))).toEqual([])
})
