import { describe, expect, test } from 'vitest'
import { of } from '../../../fixtures/drafts.ts'
import { common, decode, linesOf, user } from '../../../fixtures/transcript-lines.ts'

/** Lines that 2.1.332 writes about a session, again at each start. */
const NOTES: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: 'last-prompt', lastPrompt: 'p', leafUuid: 'u1' },
  { type: 'agent-name', agentName: 'a' },
  { type: 'agent-color', agentColor: 'c' },
  { type: 'agent-setting', agentSetting: 's' },
  { type: 'mode', mode: 'm' },
  { type: 'permission-mode', permissionMode: 'plan' },
  { type: 'repl-mode', replMode: true },
  { type: 'session-owner', accountUuid: 'a' },
  { type: 'hybrid-organization', organizationUuid: 'o' },
  { type: 'isolation-latch', side: 'host' },
  { type: 'dev-mods', folder: '/w' },
  { type: 'memory-mode', mode: 'm', afterUuid: 'u1', timestamp: '2026-11-01T10:00:00.000Z' },
  { type: 'atis-latch', atis: 'x' },
  { type: 'tools-used', tools: ['Bash'] },
  { type: 'data-flow-records', v: 1, records: [] },
  { type: 'data-flow-incomplete', v: 1 },
  { type: 'derived-from', v: 1, sessions: [] },
]

test('the client’s notes about a session are no events', () => {
  const notes = NOTES.map((note) => ({ ...note, sessionId: 's1' }))
  expect(decode([user('u1', null, 'Go.'), ...notes]).map(({ kind }) => kind)).toEqual(['user_prompt'])
})

test('a session that moves to another folder says so once for each, however often the line comes', () => {
  const moved = (relocatedCwd: string) => ({ type: 'relocated', sessionId: 's1', relocatedCwd })
  const drafts = decode([user('u1', null, 'Go.'), moved('/w/tree'), moved('/w/tree'), moved('/w')])
  expect(drafts.map(({ payload }) => ('name' in payload ? [payload.name, payload.to] : []))).toEqual([
    [],
    ['relocated', '/w/tree'],
    ['relocated', '/w/tree'],
    ['relocated', '/w'],
  ])
  expect(new Set(drafts.flatMap(({ keys }) => keys)).size).toBe(3)
})

describe('lines about the session', () => {
  test('titles, cost, pull requests and notices', () => {
    const drafts = decode(
      [
        { type: 'summary', summary: 'The old title', leafUuid: 'i1' },
        { type: 'summary', summary: 'Of another session', leafUuid: 'elsewhere' },
        { type: 'ai-title', aiTitle: 'A title', sessionId: 's1' },
        { type: 'cost-state', sessionId: 's1', totalCostUSD: 0.5, totalDuration: 3, modelUsage: {} },
        { ...common, type: 'pr-link', prUrl: 'https://example.org/1' },
        { ...common, type: 'system', subtype: 'informational', content: 'Loaded.', uuid: 'i1', level: 'info' },
        {
          ...common,
          type: 'system',
          subtype: 'api_error',
          uuid: 'e1',
          error: { status: 529, error: { error: { type: 'overloaded_error', message: 'Overloaded' } } },
          retryInMs: 500,
        },
      ],
      { path: '/home/user/.claude/projects/p/s1.jsonl' },
    )
    expect(drafts.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ['state_change', 's1'],
      ['state_change', 's1'],
      ['state_change', 's1'],
      ['notification', 's1'],
      ['state_change', 's1'],
      ['error', 's1'],
    ])
    expect(of(drafts, 'state_change')[3]?.payload).toEqual({ name: 'title', to: 'The old title' })
    expect(of(drafts, 'state_change')[1]?.payload).toMatchObject({ name: 'client_cost', to: { totalCostUSD: 0.5 } })
    expect(of(drafts, 'error')[0]?.payload).toMatchObject({
      type: 'overloaded_error',
      message: 'Overloaded',
      status: 529,
      retry_after_s: 0.5,
    })
  })

  test("the client's own total agrees with the usage that it wrote", () => {
    const drafts = decode(linesOf('resume-compact'))
    const total = of(drafts, 'state_change').findLast(({ payload }) => payload.name === 'client_cost')?.payload.to
    const output = of(drafts, 'api_usage').reduce((sum, { payload }) => sum + payload.usage.output_tokens, 0)
    // The compaction's own request (42 tokens) has no line.
    expect(total).toMatchObject({ modelUsage: { 'claude-opus-5-5': { outputTokens: output + 42 } } })
  })
})
