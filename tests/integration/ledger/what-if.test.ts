import { expect, test } from 'vitest'
import { carrySession } from '../../../src/main/operations/reader/carry.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { bill } from '../../support/upstream/cache-simulator.ts'
import { continueConversation, newConversation, type Conversation } from '../../support/upstream/planted-misses.ts'
import { RATES, simulatedSessions } from '../../support/upstream/simulated-sessions.ts'

/** Texts in several languages, long enough to be most of what their request adds. */
const TEXTS: Readonly<Record<string, string>> = {
  English: 'The scheduler keeps a queue of jobs and runs each of them when its time has come. ',
  code: 'export const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)\n',
  Russian: 'Планировщик хранит очередь заданий и запускает каждое, когда приходит его время. ',
  Japanese: 'スケジューラはジョブの列を保持し、時間が来るとそれぞれを実行します。',
}

/** Cost of a conversation of some turns, with a text in its second request or without it. */
async function runWith(extra: string | null, seed: number) {
  const { dbPath, simulator, ask } = simulatedSessions()
  const random = seeded(seed)
  const conversation: Conversation = newConversation(random)
  let usd = 0
  for (let turn = 0; turn < 12; turn += 1) {
    const last = conversation.messages.at(-1)?.content
    if (turn === 1 && extra !== null && Array.isArray(last)) last.push({ type: 'text', text: extra })
    usd += bill(await ask('s', conversation), RATES)
    // A pause in the middle: everything is written again.
    if (turn === 6) simulator.now += 4_000_000
    continueConversation(conversation, random)
  }
  return { dbPath, usd }
}

test.each(Object.entries(TEXTS))(
  'leaving out a long text in %s saves what the ledger says it cost',
  async (_, phrase) => {
    const extra = phrase.repeat(Math.ceil(38_000 / Buffer.byteLength(phrase)))
    const [plain, carried] = [await runWith(null, 5), await runWith(extra, 5)]
    const saved = carried.usd - plain.usd
    const [most] = reading(carried.dbPath, (reader) => carrySession(reader, { session_id: 's', limit: 1 }).items)
    expect(most?.bytes).toBeGreaterThan(37_000)
    expect(most?.requests).toBe(11)
    expect(Math.abs((most?.usd ?? 0) - saved) / saved).toBeLessThan(0.05)
  },
)
