/** Generated answers for Costs, Tools, Recall and a session's usage. */

const DAY_MS = 86_400_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

export const viewAnswers: Readonly<Record<string, (input: Record<string, unknown>) => unknown>> = {
  'costs.breakdown': () => ({
    by_project: ['/home/ada/code/engine', '/home/ada/code/ledger', ''].map((project, index) => ({
      project,
      cost_usd: 120 / (index + 1),
      tokens: 40_000_000 / (index + 1),
      calls: 900,
      unpriced_calls: index,
    })),
    by_session: Array.from({ length: 12 }, (_, index) => ({
      session_id: `0193a1c4-7c1e-7a10-9d54-${String(index + 1).padStart(12, '0')}`,
      title: index === 4 ? null : 'Find why the nightly import counts invoices twice',
      project: '/home/ada/code/ledger',
      started_at: ago(index * DAY_MS),
      cost_usd: 14 / (index + 1),
      tokens: 9_000_000 / (index + 1),
      calls: 200,
    })),
    by_client: (
      [
        ['claude-code', 181.2, 2100],
        ['codex', 38.8, 600],
      ] as const
    ).map(([client, cost_usd, calls]) => ({ client, cost_usd, calls, tokens: calls * 40_000, unpriced_calls: 0 })),
    cache: { saved_usd: 402.5, read_tokens: 90_000_000, written_tokens: 2_000_000, unpriced_models: [] },
  }),
  'budgets.status': () => ({
    items: (
      [
        [null, 'day', 12, 10.14, 80],
        [null, 'month', 300, 181.2, null],
        ['/home/ada/code/ledger', 'week', 40, 43.9, 100],
      ] as const
    ).map(([project, period, limit, spent, mark]) => ({
      project,
      period,
      limit_usd: limit,
      spent_usd: spent,
      unpriced_calls: period === 'month' ? 3 : 0,
      since: ago(DAY_MS / 2),
      until: ago(-DAY_MS / 2),
      mark,
    })),
  }),
  'limits.latest': () => ({
    at: ago(60_000),
    windows: [
      { name: '5h', utilization: 0.42, resets_at: ago(-DAY_MS / 12) },
      { name: '7d', utilization: 0.93, resets_at: null },
    ],
  }),
  'tools.pace': () => ({
    items: ['Bash', 'Read', 'Edit', 'Grep'].map((tool, index) => ({
      tool,
      timed: 400,
      upper_bounds: tool === 'Grep' ? 400 : 0,
      p50_ms: 80 * (index + 1),
      p95_ms: 2400 * (index + 1),
      failed: index * 3,
      rejected: index,
    })),
  }),
  'stats.slowest': () => ({
    items: Array.from({ length: 6 }, (_, index) => ({
      uuid: `u-${index}`,
      session_id: '0193a1c4-7c1e-7a10-9d54-000000000001',
      turn_id: 1,
      timestamp: ago(index * DAY_MS),
      name: 'Bash',
      duration_ms: 240_000 / (index + 1),
      success: index !== 2,
      text: '{"command":"npm test"}',
    })),
    next: null,
  }),
  'sessions.usage': () => ({ turns: [], context: [], compactions: [] }),
  'agents.list': () => ({
    items: ['Explore', 'general-purpose', null].map((type, index) => ({
      agent_id: `agent-${index}`,
      agent_type: type,
      parent_agent_id: index === 1 ? 'agent-0' : null,
      call_id: `call-${index}`,
      description: index === 2 ? null : 'Find where the nightly import counts twice',
      turn_id: index + 1,
      started_at: ago(index * DAY_MS),
      ended_at: index === 2 ? null : ago(index * DAY_MS - 64_000),
      success: index === 2 ? null : index === 0,
      calls: 12,
      tokens: 240_000,
      cost_usd: index === 2 ? null : 0.42,
      tool_calls: 31,
    })),
    partial: false,
  }),
  'tasks.list': () => ({
    items: ['completed', 'in_progress', 'pending', 'deleted', 'blocked'].map((status, index) => ({
      agent_id: index === 3 ? 'agent-0' : null,
      task_id: String(index + 1),
      subject: 'Count each invoice once',
      status,
      created_at: ago(DAY_MS),
      updated_at: ago(DAY_MS / (index + 1)),
      uuid: `u-${index}`,
    })),
    partial: false,
  }),
  'recall.months': () => ({
    items: [
      { month: '2026-09', hits: 4 },
      { month: '2026-10', hits: 21 },
      { month: '2026-11', hits: 9 },
    ],
    partial: false,
  }),
  'memories.list': () => ({ items: [] }),
  'compactions.dropped': () => ({
    items: [
      {
        uuid: 'u-4',
        kind: 'assistant_text',
        turn_id: 1,
        timestamp: new Date().toISOString(),
        content: 'We keep amounts in minor units. Floats lose cents.',
        words: 9,
        missing: 5,
        missing_words: ['floats', 'cents'],
        lost: ['Floats lose cents.'],
        reworded: ['We keep amounts in minor units.'],
        group: 'decision',
        times: 1,
      },
    ],
    files: [],
    outputs: [
      {
        uuid: 'u-5',
        result_uuid: 'u-5-result',
        tool: 'Bash',
        target: 'npm test -- money',
        first_line: '2 failed, 40 passed',
        timestamp: new Date().toISOString(),
      },
    ],
    summary: 'Amounts are whole numbers.',
    texts: 2,
    covered: 1,
    lost: { decision: 1, prompt: 0, answer: 0, thought: 0 },
    partial: false,
  }),
  'sessions.tags': () => ({ items: [{ tag: 'billing', sessions: 27 }] }),
  'searches.list': () => ({ items: [] }),
  'team.get': () => ({ team: null, is_server: false }),
  'team.policy': () => ({ items: [], excluded: 0, problem: null }),
}
