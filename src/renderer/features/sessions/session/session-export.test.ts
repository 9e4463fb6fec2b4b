import { expect, test } from 'vitest'
import { clientTotal } from './client-total.ts'
import { conversationMarkdown } from './session-export.ts'

test('Markdown quotes prompts and keeps answers unchanged', () => {
  const session = {
    id: 's1',
    user_id: null,
    project: '/home/ada/engine',
    git_branch: null,
    started_at: '2026-11-20T10:00:00.000Z',
    ended_at: null,
    last_event_at: '2026-11-20T10:01:00.000Z',
    source: 'first_seen',
    title: null,
    turn_count: 1,
    prompts: 1,
    total_tokens: 10,
    total_cost_usd: 0.25,
    unpriced_calls: 0,
    tool_calls: 0,
    thinking_blocks: 0,
    errors: 0,
    api_errors: 0,
    failed_tools: 0,
    client: 'claude-code',
    client_version: '2.1.330',
    active_ms: 0,
    time_basis: 'wire',
    forked_from: null,
    resumed_from: null,
    compacted_from: null,
    starred: false,
    pinned: false,
    own_tags: [] as string[],
    tags: [],
    pull_requests: [],
    client_cost_usd: null,
    joined_turns: [],
  } as const
  const messages = [
    { uuid: 'a', role: 'user', content: 'Why?\n\n# not a heading', timestamp: '2026-11-20T10:00:00.000Z', turn_id: 1 },
    { uuid: 'b', role: 'assistant', content: '- **Because**', timestamp: '2026-11-20T10:00:09.000Z', turn_id: 1 },
  ] as const
  const text = conversationMarkdown({ ...session, tags: [], pull_requests: [], links: [], joined_turns: [] }, messages)
  expect(text).toContain('# Untitled session\n')
  expect(text).toContain('1 prompt · $0.250 at API list price')
  expect(text).toContain('## Prompt, 2026-11-20T10:00:00.000Z\n\n> Why?\n>\n> # not a heading\n\n- **Because**\n')
})

test('the client’s own total is shown beside the list price if it differs', () => {
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: null })).toBeNull()
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0.25000001 })).toBeNull()
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0.375 })).toBe('$0.375')
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0 })).toBe('$0')
})
