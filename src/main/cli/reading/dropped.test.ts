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

test('on a terminal, ids are as short as they can be typed', async () => {
  const { isTTY } = process.stdout
  const item = { timestamp: '2026-11-21T10:15:00.000Z', kind: 'user_prompt', content: 'a', lost: ['a'] }
  const lost = { decision: 0, prompt: 1, answer: 0, thought: 0 }
  process.stdout.isTTY = true
  try {
    const uuid = '01a2210b-b38b-767f-b6d3-e883a4199927'
    expect(await printed({ items: [{ ...item, uuid }], summary: 's', lost, texts: 1 })).toMatch(/01a2210b-b38b-767f\n/)
  } finally {
    process.stdout.isTTY = isTTY
  }
})
