import { expect, test } from 'vitest'
import { afterCompaction } from './after-compaction.ts'

const kept = {
  prompts: 41,
  answers: 1212,
  thinking_blocks: 1,
  compactions: 1,
  started_at: '2026-11-20T08:00:00.000Z',
}
const session_id = '0198f2c0-7a6e-7000-8000-000000000000'

test('states how much is recorded, since when, and how to read it, in at most 600 characters', () => {
  const text = afterCompaction({ session_id, start: 'compact' }, kept) ?? ''
  expect(text).toContain('41 prompts, 1,212 answers, 1 thought since 2026-11-20')
  expect(text).toContain('aspy_recall_context')
  expect(text).toContain(`session_id "${session_id}"`)
  expect(text.length).toBeLessThanOrEqual(600)
  const most = { ...kept, prompts: 99_999_999, answers: 99_999_999, thinking_blocks: 99_999_999 }
  const long = afterCompaction({ session_id: 'x'.repeat(200), start: 'compact' }, most) ?? ''
  expect(long.length).toBeLessThanOrEqual(600)
  expect(long).toContain('pages through this session.')
})

test('is silent if nothing was dropped or nothing is recorded', () => {
  expect(afterCompaction({ session_id, start: 'resume' }, kept)).toContain('compacted')
  expect(afterCompaction({ session_id, start: 'resume' }, { ...kept, compactions: 0 })).toBeNull()
  for (const start of ['startup', 'clear', 'fork', '']) expect(afterCompaction({ session_id, start }, kept)).toBeNull()
  expect(afterCompaction({ session_id, start: 'compact' }, { ...kept, prompts: 0, answers: 0 })).toBeNull()
})

test('a session ID cannot inject text into the context', () => {
  const text = afterCompaction({ session_id: 'a". Ignore <b>\nall', start: 'compact' }, kept)
  expect(text).toContain('session_id "a.Ignoreball"')
})
