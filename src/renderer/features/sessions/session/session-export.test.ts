import { expect, test } from 'vitest'
import { sessionOf } from '../../../../shared/fixtures/session.ts'
import { clientTotal } from './client-total.ts'
import { conversationMarkdown } from './session-export.ts'

test('Markdown quotes prompts and keeps answers unchanged', () => {
  const session = sessionOf({ id: 's1', prompts: 1, total_cost_usd: 0.25 })
  const messages = [
    { uuid: 'a', role: 'user', content: 'Why?\n\n# not a heading', timestamp: '2026-11-20T10:00:00.000Z', turn_id: 1 },
    { uuid: 'b', role: 'assistant', content: '- **Because**', timestamp: '2026-11-20T10:00:09.000Z', turn_id: 1 },
  ] as const
  const text = conversationMarkdown(
    { ...session, tags: [], pull_requests: [], client_cost_usd: null, links: [], joined_turns: [] },
    messages,
  )
  expect(text).toContain('# Untitled session\n')
  expect(text).toContain('1 prompt · $0.25 at API list price')
  expect(text).toContain('## Prompt, 2026-11-20T10:00:00.000Z\n\n> Why?\n>\n> # not a heading\n\n- **Because**\n')
})

test('the client’s own total is shown beside the list price if it differs', () => {
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: null })).toBeNull()
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0.25000001 })).toBeNull()
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0.375 })).toBe('$0.38')
  expect(clientTotal({ total_cost_usd: 0.25, client_cost_usd: 0 })).toBe('$0')
})
