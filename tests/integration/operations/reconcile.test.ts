import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { reading } from '../../support/store/reading.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact, commonFields, usageFact, usageOf } from '../../support/store/history.ts'

/** Reads a store that holds these drafts. */
function readingOf<T>(drafts: readonly AnyDraft[], read: (reader: Reader) => T): T {
  const { store, dbPath } = openTestStore()
  store.ingest.append(drafts)
  store.close()
  return reading(dbPath, read)
}

const prompt = promptFact('s', 'p', 'What does it cost?', 0).reports
const call = (message: string, atMs: number, model = 'claude-opus-5-5') => {
  const usage = usageOf({ input_tokens: 1_000_000 })
  const [wire, line] = usageFact('s', message, naturalKey.promptId('p'), atMs, usage, model).reports
  if (!wire || !line) throw new Error('a usage has two reports')
  return { wire, line }
}

/** The client's account at the end of its transcript. */
const account = (atMs: number, total: number): AnyDraft => {
  const totals = {
    totalCostUSD: total,
    modelUsage: { 'claude-opus-5-5': { costUSD: total } },
    hasUnknownModelCost: false,
  }
  return {
    ...commonFields('transcript', 's', atMs),
    kind: 'state_change',
    payload: { name: 'client_cost', to: totals },
    keys: [`cost-state:s:${atMs}`],
    parents: [],
    sighting: { client_cost: totals },
    sighting_of: [naturalKey.newestOf('s')],
  }
}

test('lists calls that only one side saw, and explains the difference to the total of the client', () => {
  const both = call('m1', 1000)
  const title = call('m2', 2000)
  const elsewhere = call('m3', 3000)
  const stranger = call('m4', 4000, 'claude-nobody-knows-1')
  const late = call('m5', 9000)
  const drafts = [
    ...prompt,
    both.wire,
    both.line,
    title.wire,
    elsewhere.line,
    stranger.wire,
    stranger.line,
    account(5000, 9),
    late.wire,
  ]
  readingOf(drafts, (reader) => {
    const found = readerHandlers['sessions.reconcile'](reader, { session_id: 's' })
    expect(found.ours).toMatchObject({ calls: 5, unpriced_calls: 1, lower_bound_calls: 1 })
    expect(found.client).toMatchObject({ cost_usd: 9, unknown_models: false })
    expect(found.only_wire.items.map(({ cost_usd }) => cost_usd)).toEqual([4, 4])
    expect(found.only_transcript).toMatchObject({ calls: 1 })
    // Three calls of $4 and a little before the account, which says $9.
    expect(found.difference_usd).toBeCloseTo(3, 3)
    const sentences = found.explanation.join(' ')
    for (const part of ['1 request after', 'claude-nobody-knows-1', 'transcript alone', 'More than the client counts'])
      expect(sentences).toContain(part)
    expect(reader.get('SELECT count(*) AS n FROM events WHERE kind = ?', 'state_change')).toEqual({ n: 0 })
  })
})

test('an answer is in the total that the client wrote beside its last line, also if the wire saw its end later', () => {
  const [first, last] = [call('m1', 1000), call('m2', 5003)]
  const total = { ...account(5000, 8), sighting_of: [naturalKey.usage('m2')] }
  readingOf([...prompt, first.wire, first.line, last.wire, last.line, total], (reader) => {
    const found = readerHandlers['sessions.reconcile'](reader, { session_id: 's' })
    expect(found.difference_usd).toBeCloseTo(0, 3)
    expect(found.explanation.join(' ')).not.toContain('after the client')
  })
})

test('a session without an imported transcript has no client total to compare', () => {
  readingOf([...prompt, call('m1', 1000).wire], (reader) => {
    const found = readerHandlers['sessions.reconcile'](reader, { session_id: 's' })
    expect(found).toMatchObject({ client: null, difference_usd: null, explanation: [], only_wire: { calls: 0 } })
  })
})

test('the copied part of a fork is what its original had spent by then, with what was not copied', () => {
  const later = call('m3', 9000)
  const [forked] = promptFact('fork', 'q', 'Go another way.', 5000).reports
  if (!forked) throw new Error('a prompt has a report')
  const copy: AnyDraft = { ...call('m2', 2000).line, session_id: 'fork', copied_from: 's' }
  const drafts = [...prompt, call('m1', 1000).line, call('m2', 2000).line, later.line, forked, copy]
  readingOf(drafts, (reader) => {
    const found = readerHandlers['sessions.reconcile'](reader, { session_id: 'fork' })
    expect(found.copied).toEqual({ calls: 2, cost_usd: expect.closeTo(8, 3) })
  })
})

test('limits are a series with the latest report of each bucket', () => {
  const limit = (minute: number, used: number): AnyDraft => ({
    ...commonFields('wire', 's', minute * 60_000),
    kind: 'rate_limit',
    payload: {
      limits: {
        'unified-5h-utilization': used,
        'unified-5h-reset': 1_795_000_000,
        'requests-remaining': 4000 - minute,
      },
    },
    keys: [`limits:${minute}`],
    parents: [],
  })
  readingOf([limit(0, 0.1), limit(14, 0.2), limit(16, 0.3), limit(59, 0.4)], (reader) => {
    const found = readerHandlers['limits.series'](reader, { bucket_minutes: 15 })
    expect(found.partial).toBe(false)
    expect(found.items.map(({ five_hour_used, requests_remaining }) => [five_hour_used, requests_remaining])).toEqual([
      [0.2, 3986],
      [0.3, 3984],
      [0.4, 3941],
    ])
    expect(found.items[0]).toMatchObject({ five_hour_resets_at: '2026-11-18T11:06:40.000Z', seven_day_used: null })
  })
})

test('tasks have their last reported status, and agents show whether they still run', () => {
  const tasks = (atMs: number, id: string, subject: string, status: string): AnyDraft => ({
    ...commonFields('wire', 's', atMs),
    kind: 'task_update',
    payload: { tasks: [{ id, subject, status }] },
    keys: [naturalKey.tasks(`call-${atMs}`)],
    parents: [],
  })
  const started = (id: string, atMs: number): AnyDraft => ({
    ...commonFields('hook', 's', atMs, id),
    kind: 'agent_started',
    payload: { agent_id: id, agent_type: 'Explore', parent_agent_id: null, call_id: `call-of-${id}` },
    keys: [naturalKey.agentStart(id)],
    parents: [],
  })
  const ended: AnyDraft = {
    ...commonFields('hook', 's', 400, 'a1'),
    kind: 'agent_ended',
    payload: { agent_id: 'a1', agent_type: null, last_text: 'Done.' },
    success: true,
    keys: [naturalKey.agentEnd('a1')],
    parents: [],
  }
  // The completion comes before the older update that names the task.
  const firstCalls = [
    tasks(300, '1', '', 'completed'),
    tasks(100, '1', 'Write it', 'pending'),
    tasks(200, '2', 'Test it', 'pending'),
  ]
  readingOf([...prompt, ...firstCalls, started('a1', 100), started('a2', 200), ended], (reader) => {
    expect(reader.all('SELECT task_id, subject, status FROM tasks ORDER BY task_id')).toEqual([
      { task_id: '1', subject: 'Write it', status: 'completed' },
      { task_id: '2', subject: 'Test it', status: 'pending' },
    ])
    expect(
      reader.all('SELECT agent_id, call_id, ended_at IS NULL AS open, success FROM agents ORDER BY agent_id'),
    ).toEqual([
      { agent_id: 'a1', call_id: 'call-of-a1', open: 0, success: 1 },
      { agent_id: 'a2', call_id: 'call-of-a2', open: 1, success: null },
    ])
  })
})
