import { expect, test } from 'vitest'
import { openReader } from '../../../src/main/store/database/connection.ts'
import type { PreviewDraft } from '../../../src/main/store/preview/previewed-file.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { timeAt, usageFact, usageOf } from '../../support/store/history.ts'

/** Rows of previews go in steps: one of a long transcript may have a hundred thousand. */

const ROWS = 2500
const MOST = 1000
const FILE = { path: '/long.jsonl', size: 1, mtime_ms: 1 }

/** Opens a store that shows two transcripts, a long one and one with a single call. */
function showing() {
  const opened = openTestStore()
  const usage = (session: string, at: number) =>
    usageFact(session, `m-${session}-${at}`, '', 1000 + at, usageOf({ output_tokens: 5 }), 'claude-opus-5-5')
      .reports[1] as PreviewDraft
  const shown = { project: null, git_branch: null, title: null, title_rank: 0, title_at: null }
  const times = { started_at: timeAt(0), last_event_at: timeAt(1000), client: 'claude-code', client_version: null }
  const session = (session_id: string) => [{ session_id, ...shown, ...times }]
  const drafts = Array.from({ length: ROWS }, (_, at) => usage('long', at))
  const other = { ...FILE, path: '/other.jsonl', isWhole: true, drafts: [usage('other', 0)] }
  opened.store.ingest.preview({
    files: [
      { ...FILE, isWhole: true, drafts, sessions: session('long') },
      { ...other, sessions: session('other') },
    ],
  })
  const db = openReader(opened.dbPath)
  const count = (from: string) => Number(db.prepare(`SELECT count(*) FROM ${from}`).pluck().get())
  const rows = () => [count('preview_items'), count('preview_sessions'), count('preview_files')]
  expect(rows()).toEqual([ROWS + 1, 2, 2])
  return { ...opened, rows, usage, [Symbol.dispose]: () => void db.close() }
}

test('the preview of a file ends in steps, and its session is shown until the last', () => {
  using shown = showing()
  const { ingest } = shown.store
  const end = ['/long.jsonl', '/unknown.jsonl', '/other.jsonl']
  expect(ingest.preview({ end })).toBe(false)
  expect(shown.rows()).toEqual([ROWS + 1 - MOST, 2, 2])
  expect(ingest.preview({ end })).toBe(false)
  expect(shown.rows()).toEqual([ROWS + 1 - 2 * MOST, 2, 2])
  expect(ingest.preview({ end })).toBe(true)
  expect(shown.rows()).toEqual([0, 0, 0])
  shown.store.close()
})

test('what the last checkpoint of a file leaves of its preview goes when the import ends it', () => {
  using shown = showing()
  const { ingest } = shown.store
  const checkpoints = [{ ...FILE, identity: 'i', offset: 1, isEnd: true } as const]
  ingest.append([shown.usage('long', 0)], undefined, { checkpoints })
  expect(shown.rows()).toEqual([ROWS - MOST, 2, 2])
  while (!ingest.preview({ end: ['/long.jsonl'] }));
  expect(shown.rows()).toEqual([1, 1, 1])
  shown.store.close()
})

test('deleting a session that is only shown removes its rows in steps', () => {
  using shown = showing()
  const left: number[] = []
  for (const _ of shown.store.removal.deleteInSteps('long')) left.push(shown.rows()[0] ?? 0)
  expect(left.slice(0, 2)).toEqual([ROWS + 1 - MOST, ROWS + 1 - 2 * MOST])
  // The file stays until its import ends.
  expect(shown.rows()).toEqual([1, 1, 2])
  shown.store.close()
})
