import { expect, test } from 'vitest'
import { importProgress, importShare, importSummary, type ImportStatus } from './import-job.ts'

const PROGRESS = {
  previewing: false,
  bytes: 1000,
  bytes_done: 250,
  bytes_previewed: 600,
  files: 55,
  files_done: 12,
  search_covers_since: null,
}
const status = (progress: object | null) =>
  ({ sessions: 5, events_added: 3990, worked_ms: 12_000, progress }) as unknown as ImportStatus

test('the bar follows the bytes that were read: of the figures first, then of the texts', () => {
  expect(importShare(status(PROGRESS))).toBe(0.25)
  expect(importShare(status({ ...PROGRESS, previewing: true }))).toBe(0.6)
  // A file may grow while it is read.
  expect(importShare(status({ ...PROGRESS, bytes_done: 1001 }))).toBe(1)
  expect(importShare(status({ ...PROGRESS, bytes: 0 }))).toBe(0)
  expect(importShare(status(null))).toBe(0)
})

test('progress and summary name what was read', () => {
  expect(importSummary(status(null))).toBe('5 sessions · 3,990 events · 12 s')
  expect(importProgress(status(null))).toBe('Starting…')
  expect(importProgress(status({ ...PROGRESS, previewing: true }))).toBe('Figures of 55 files first')
  expect(importProgress(status(PROGRESS))).toBe('12 of 55 files · 3,990 events')
  const covers = { ...PROGRESS, search_covers_since: '2026-03-05T12:00:00.000Z' }
  expect(importProgress(status(covers))).toMatch(/events · search covers back to .*2026$/)
  const today = { ...PROGRESS, search_covers_since: new Date().toISOString() }
  expect(importProgress(status(today))).toBe('12 of 55 files · 3,990 events')
})
