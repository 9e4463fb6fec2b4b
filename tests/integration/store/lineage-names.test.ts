import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

test("the lineage design's queries run on the view session_events", () => {
  using folder = makeTempFolder()
  const at = (second: number) => `2026-11-20T10:00:0${second}.000Z`
  const db = new Database(
    fillStore(folder.path, [
      draftOf('user_prompt', { text: 'go' }, { at: at(1), uuid: 'p1', keys: ['event:p1'] }),
      draftOf(
        'tool_call',
        { call_id: 'c1', tool_name: 'Bash', input: { command: 'ls' }, message_id: 'm1', index: 0 },
        { at: at(2), uuid: 't1', keys: ['call:c1'], parents: ['event:p1'] },
      ),
      draftOf(
        'tool_result',
        { call_id: 'c1', tool_name: 'Bash', output: 'x', is_error: false, rejected: false },
        { at: at(3), uuid: 'r1', parents: ['call:c1'] },
      ),
    ]),
    { readonly: true },
  )
  try {
    const chain = db
      .prepare(
        `WITH RECURSIVE chain AS (
           SELECT uuid, parent_uuid, root_uuid, depth, event_type, timestamp FROM session_events WHERE uuid = ?
           UNION ALL
           SELECT e.uuid, e.parent_uuid, e.root_uuid, e.depth, e.event_type, e.timestamp
           FROM session_events e JOIN chain c ON e.uuid = c.parent_uuid)
         SELECT * FROM chain`,
      )
      .all('r1')
    expect(chain).toEqual([
      { uuid: 'r1', parent_uuid: 't1', root_uuid: 'p1', depth: 2, event_type: 'tool_result', timestamp: at(3) },
      { uuid: 't1', parent_uuid: 'p1', root_uuid: 'p1', depth: 1, event_type: 'tool_call', timestamp: at(2) },
      { uuid: 'p1', parent_uuid: null, root_uuid: 'p1', depth: 0, event_type: 'user_prompt', timestamp: at(1) },
    ])
    const timeline = db
      .prepare(
        'SELECT uuid, duration_ms, success, error_message FROM session_events WHERE instance_id = ? ORDER BY timestamp',
      )
      .all('s1')
    expect(timeline.map((row) => (row as { uuid: string }).uuid)).toEqual(['p1', 't1', 'r1'])
    expect(db.prepare("SELECT payload ->> '$.text' AS text FROM session_events WHERE uuid = 'p1'").get()).toEqual({
      text: 'go',
    })
  } finally {
    db.close()
  }
})
