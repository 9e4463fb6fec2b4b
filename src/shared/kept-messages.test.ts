import { expect, test } from 'vitest'
import { keptMessages } from './kept-messages.ts'

const none = { decision: 0, prompt: 0, answer: 0, thought: 0 }
const file = { path: '/a.ts', uuid: 'f', edited: false, timestamp: '2026-11-21T10:00:00.000Z' }

test('says what was lost by kind, decisions first, and nothing of what was not', () => {
  const found = {
    summary: 'Kept.',
    texts: 1109,
    lost: { ...none, decision: 2, answer: 1 },
    files: [file],
    partial: false,
  }
  expect(keptMessages(found)).toBe(
    'The summary kept 1,106 of the 1,109 prompts, answers and thoughts it replaced. Lost, in whole or in part: 2 decisions and 1 answer. It does not name 1 file.',
  )
  expect(keptMessages({ ...found, lost: none, files: [] })).toBe(
    'The summary kept all of the 1,109 prompts, answers and thoughts it replaced.',
  )
  expect(keptMessages({ ...found, lost: { ...none, prompt: 1 }, partial: true })).toBe(
    'The summary kept 1,108 of the 1,109 newest prompts, answers and thoughts it replaced. Lost, in whole or in part: 1 prompt. It does not name 1 file.',
  )
})

test('an encrypted summary is not said to lose anything', () => {
  expect(keptMessages({ summary: '', texts: 8, lost: none, files: [file], partial: false })).toBe(
    'Only the API can read the summary, so it may keep any of these 8 messages.',
  )
})
