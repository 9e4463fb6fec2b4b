import { describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '../../../src/shared/event.ts'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { generateHistory, type HistoryOptions } from '../../support/demo/generate-history.ts'

const all = (options: HistoryOptions): AnyDraft[] => [...generateHistory(options)].flat()
const large = all({ seed: 'large', sessions: 60, events: 40_000 })

describe('a generated history', () => {
  it('is the same for the same seed and different for another', () => {
    const options = { seed: 'a', sessions: 3, events: 500 }
    expect(all(options)).toEqual(all(options))
    expect(all({ ...options, seed: 'b' })).not.toEqual(all(options))
  })

  it.each([
    { sessions: 1, events: 7 },
    { sessions: 3, events: 1_000 },
    { sessions: 400, events: 12_345 },
  ])('has $events events in $sessions sessions if that is wanted', ({ sessions, events }) => {
    const drafts = all({ seed: 'size', sessions, events })
    expect(drafts).toHaveLength(events)
    expect(new Set(drafts.map((draft) => draft.session_id)).size).toBe(sessions)
  })

  it('has unique keys', () => {
    const keys = large.flatMap((draft) => draft.keys)
    expect(keys.length).toBeGreaterThanOrEqual(large.length)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('has only parents that precede their children in the same session, so that every chain leads to a prompt', () => {
    const sessionOfKey = new Map<string, string>()
    const orphans: AnyDraft[] = []
    for (const draft of large) {
      const sessions = draft.parents.map((key) => sessionOfKey.get(key))
      if (sessions.some((session) => session !== draft.session_id)) orphans.push(draft)
      for (const key of draft.keys) sessionOfKey.set(key, draft.session_id)
    }
    expect(orphans).toEqual([])
    const roots = new Set(large.filter((draft) => draft.parents.length === 0).map((draft) => draft.kind))
    expect([...roots].toSorted()).toEqual(['compaction', 'session_started', 'user_prompt'])
  })

  it('links events to parents as decoders do', () => {
    const find = <Kind extends AnyDraft['kind']>(kind: Kind) => {
      const found = large.filter((draft): draft is Extract<AnyDraft, { kind: Kind }> => draft.kind === kind)
      expect(found.length, kind).toBeGreaterThan(0)
      return found
    }
    for (const draft of find('tool_result')) expect(draft.parents).toEqual([naturalKey.call(draft.payload.call_id)])
    for (const draft of find('agent_started'))
      expect(draft.parents).toEqual([naturalKey.call(draft.payload.call_id ?? '')])
    const parentsOf = (kind: AnyDraft['kind']) => find(kind).map((draft) => draft.parents[0] ?? '')
    expect(parentsOf('model_response').filter((key) => !/^exchange:.*:request$/.test(key))).toEqual([])
    expect(parentsOf('api_usage').filter((key) => !/^(?:block|prompt|result):/.test(key))).toEqual([])
  })

  it('contains everything that happens in real work, in order of time', () => {
    const kinds = new Set(
      all({ seed: 'kinds', sessions: 60 })
        .concat(large)
        .map((draft) => draft.kind),
    )
    expect(EVENT_KINDS.filter((kind) => !kinds.has(kind))).toEqual(['file_seen', 'guard_action', 'unknown'])
    const models = new Set(large.map((draft) => (draft.kind === 'api_usage' ? draft.payload.model : '')))
    expect(models.size).toBeGreaterThan(4)
    const lastAt = new Map<string, string>()
    for (const draft of large) {
      if (draft.ts_wall < (lastAt.get(draft.session_id) ?? '')) throw new Error(`${draft.kind} goes back in time`)
      lastAt.set(draft.session_id, draft.ts_wall)
    }
  })

  it('has a vocabulary wide enough to search', () => {
    const texts = large.flatMap((draft) =>
      draft.kind === 'thinking' || draft.kind === 'assistant_text' || draft.kind === 'user_prompt'
        ? [draft.payload.text]
        : [],
    )
    expect(new Set(texts.join(' ').match(/[A-Za-z_]{3,}/g)).size).toBeGreaterThan(3_000)
  })

  it('raises fewer than one false alarm of redaction per 10,000 lines', () => {
    const redactor = createRedactor({ hashKey: Buffer.alloc(32), enabled: true })
    let lines = 0
    for (const draft of large) {
      lines += (JSON.stringify(draft.payload).match(/\\n/g)?.length ?? 0) + 1
      redactor.json(draft.payload)
    }
    const alarms = Object.values(redactor.counts()).reduce((sum, count) => sum + count, 0)
    expect(lines).toBeGreaterThan(100_000)
    expect(alarms, JSON.stringify(redactor.counts())).toBeLessThan(lines / 10_000)
  })
})
