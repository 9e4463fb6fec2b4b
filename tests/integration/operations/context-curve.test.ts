import { expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { contextCurve } from '../../../src/main/store/read/session-usage.ts'
import { reading } from '../../support/store/reading.ts'
import { openTestStore } from '../../support/store/folder.ts'

test('the context curve of a long session has a bounded number of points, each the largest of its interval', () => {
  const { store, dbPath } = openTestStore()
  for (const drafts of generateHistory({ seed: 'curve', sessions: 1, events: 3000 })) store.ingest.append(drafts)
  reading(dbPath, (reader) => {
    const session = reader.get<{ id: string }>('SELECT id FROM sessions')?.id ?? ''
    const all = contextCurve(reader, session, 100_000)
    expect(all.length).toBeGreaterThan(120)
    const curve = contextCurve(reader, session, 40)
    expect(curve).toHaveLength(40)
    const most = (points: readonly { context_tokens: number }[]) =>
      Math.max(...points.map((point) => point.context_tokens))
    expect(most(curve)).toBe(most(all))
  })
})
