import { expect, test } from 'vitest'
import { naturalKey } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { withWholeNames } from '../../../src/main/operations/reader/whole-names.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { usageOf } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

/** One folder as a shell, an editor, Git and a person write it. */
const SPELLINGS = [String.raw`C:\work\Ferry`, String.raw`c:\work\Ferry`, 'C:/work/Ferry/', 'c:/Work/ferry']
/** Other systems take these for two. */
const OTHERS = ['/work/Ferry', '/work/ferry']

const callsOf = (project: string, session_id: string) => {
  const at = '2026-11-20T10:00:00.000Z'
  const usage = usageOf({ input_tokens: 1_000_000 })
  const payload = {
    message_id: session_id,
    model: 'claude-opus-5-5',
    usage,
    request_kind: 'prompt' as const,
    ttft_ms: null,
  }
  const call = { call_id: session_id, tool_name: 'Bash', input: {}, message_id: session_id, index: 0 }
  return [
    draftOf('user_prompt', { text: 'Go' }, { at, session_id, project, keys: [`p${session_id}`] }),
    draftOf('tool_call', call, { at, session_id, project, keys: [naturalKey.call(session_id)] }),
    draftOf(
      'api_usage',
      { ...payload, basis: 'measured' },
      { at, session_id, project, keys: [naturalKey.usage(session_id)] },
    ),
  ]
}

test('a folder of Windows is one project in every sum, however its drive, slashes and case are written', () => {
  const { store, dbPath, folder } = openTestStore()
  const all = [...SPELLINGS, ...OTHERS].map((project, at) => callsOf(project, `s${at}`))
  for (const calls of all.slice(0, 2)) store.ingest.append(calls)
  store.close()
  // Opened again, it takes the spellings of its database.
  const again = openTestStore({ dataDir: folder }).store
  for (const calls of all.slice(2)) again.ingest.append(calls)
  again.close()
  reading(dbPath, (reader) => {
    const { by_project: projects } = readerHandlers['costs.breakdown'](reader, { limit: 20 })
    expect(projects.map(({ project, calls }) => [project, calls])).toEqual([
      [SPELLINGS[0], 4],
      ...OTHERS.map((project) => [project, 1]),
    ])
    for (const project of SPELLINGS) {
      const asked = <T extends object>(name: string, input: T) => withWholeNames(reader, name, input) as T
      const summary = readerHandlers['stats.summary'](reader, asked('stats.summary', { project }))
      expect([summary.total_sessions, summary.total_cost_usd, summary.total_tool_calls], project).toEqual([4, 16, 4])
      const series = readerHandlers['costs.series'](
        reader,
        asked('costs.series', { project, bucket: 'day' as const, utc_offset_minutes: 0 }),
      )
      expect(
        series.items.map(({ cost_usd: cost }) => cost),
        project,
      ).toEqual([16])
      expect(readerHandlers['cache.summary'](reader, asked('cache.summary', { project })).requests, project).toBe(4)
      const carried = readerHandlers['carry.list'](
        reader,
        asked('carry.list', { project, by: 'project' as const, limit: 9 }),
      )
      expect(
        carried.items.map(({ key }) => key),
        project,
      ).toEqual([SPELLINGS[0]])
    }
  })
})
