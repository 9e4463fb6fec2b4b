import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** A call of Bash and its result. */
function called(session: string, project: string, call: number, failed: boolean) {
  const own = { session_id: session, project, at: `2026-11-02T10:00:0${call}.000Z` }
  const call_id = `${session}-${call}`
  const input = { command: 'npm test' }
  const output = { call_id, tool_name: 'Bash', output: 'said', is_error: failed, rejected: false }
  return [
    draftOf('tool_call', { call_id, tool_name: 'Bash', input, message_id: null, index: 0 }, own),
    draftOf('tool_result', output, { ...own, duration_ms: call * 100, success: !failed }),
  ]
}

test("the pace of a project's tools counts only its own calls", () => {
  using folder = makeTempFolder()
  const path = fillStore(folder.path, [
    ...called('s1', '/work/app', 1, false),
    ...called('s1', '/work/app', 2, false),
    ...called('s2', '/work/other', 9, true),
    // Where the call was made counts, not where its session began.
    ...called('s1', '/work/app/web', 3, false),
  ])
  reading(path, (reader) => {
    const pace = (project?: string) => readerHandlers['tools.pace'](reader, project === undefined ? {} : { project })
    expect(pace('/work/app')).toEqual({
      items: [{ tool: 'Bash', timed: 2, upper_bounds: 0, p50_ms: 100, p95_ms: 200, failed: 0, rejected: 0 }],
    })
    expect(pace()).toMatchObject({ items: [{ timed: 4, p95_ms: 900, failed: 1 }] })
    expect(pace('/work/app/web')).toMatchObject({ items: [{ timed: 1, p95_ms: 300 }] })
  })
})
