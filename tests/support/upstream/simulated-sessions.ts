import { createTimedExchanges } from '../recorder/timed-exchanges.ts'
import { openTestStore } from '../store/folder.ts'
import { CacheSimulator, type SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, type Conversation } from './planted-misses.ts'

/** USD per million tokens, as published; both models of these conversations have the same prices. */
export const RATES = { input: 3, read: 0.3, write5m: 3.75, write1h: 6 }
const START = Date.parse('2026-11-20T08:00:00Z')

/** Opens a store and sends conversations through the simulated cache into it. */
export function simulatedSessions() {
  const { store, dbPath } = openTestStore()
  const record = createTimedExchanges(store)
  const simulator = new CacheSimulator(() => 1024)
  let messages = 0
  simulator.now = START
  return {
    store,
    dbPath,
    simulator,
    async ask(session: string, conversation: Conversation): Promise<SimulatedUsage> {
      const body = bodyOf(conversation)
      const usage = simulator.send('key', body, conversation.betas)
      messages += 1
      await record({
        wall: simulator.now,
        session,
        body,
        betas: conversation.betas,
        answer: {
          id: `msg_${messages}`,
          type: 'message',
          role: 'assistant',
          model: conversation.model,
          content: [{ type: 'text', text: `answer ${messages}` }],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: usage.input,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written5m + usage.written1h,
            cache_creation: {
              ephemeral_5m_input_tokens: usage.written5m,
              ephemeral_1h_input_tokens: usage.written1h,
            },
            output_tokens: 10,
          },
        },
      })
      simulator.now += 20_000
      return usage
    },
  }
}
