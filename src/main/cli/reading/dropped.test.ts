import { expect, test } from 'vitest'
import { dropped } from './dropped.ts'

/** Output of the command if the app gives this answer. */
async function printed(answer: object): Promise<string> {
  const client = { call: () => Promise.resolve({ items: [], files: [], ...answer }) } as unknown as Parameters<
    typeof dropped
  >[0]
  const { text } = await dropped(client, { session_id: 'codex-1', limit: '20' }, {})
  return text
}

test('ends with what the summary kept', async () => {
  const lost = { decision: 0, prompt: 7, answer: 0, thought: 0 }
  expect(await printed({ summary: 'Blue door.', lost, texts: 8 })).toBe(
    'The summary kept 1 of the 8 prompts, answers and thoughts it replaced. Lost, in whole or in part: 7 prompts.',
  )
})
