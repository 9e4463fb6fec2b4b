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

test('an encrypted summary is not said to cover nothing', async () => {
  expect(await printed({ summary: 'Blue door.', covered: 1, texts: 8 })).toBe('The summary covers 1 of 8 messages.')
  expect(await printed({ summary: '', covered: 0, texts: 8 })).toBe(
    'Only the API can read the summary, so it may keep any of these 8 messages.',
  )
})
