import { expect, test } from 'vitest'
import { describeContents } from './page-contents.ts'
import { sessionPage, type SessionPage } from './session-page.ts'

const event = (at: number, text: string) => ({
  event: {
    uuid: `0199a3c5-0000-7000-8000-00000000000${at}`,
    session_id: 's',
    turn_id: 1,
    seq: at,
    agent_id: null,
    parent_uuid: null,
    kind: 'assistant_text' as const,
    source: 'wire' as const,
    ts_wall: `2026-05-01T10:00:0${at}.000Z`,
    ts_monotonic: null,
    duration_ms: null,
    success: null,
    error_message: null,
    request_id: null,
    user_id: null,
    project: null,
    schema_version: 1,
    payload: { text, message_id: null, index: 0 },
  },
  keys: [],
  parent_keys: [],
  sightings: [],
  contents: {},
})

async function pageOf(bounds: { data: number; transcript: number }): Promise<{ html: string; announced: string }> {
  let announced = ''
  async function* events() {
    await Promise.resolve()
    for (const at of [1, 2, 3]) yield event(at, `answer ${at} ${'x'.repeat(1000)}`)
  }
  // Only what the head of a page shows of a session.
  const session = { id: 's', title: 'T', project: null, started_at: '', prompts: 0, tool_calls: 0 }
  const numbers = { total_cost_usd: 0, active_ms: 0 }
  let html = ''
  for await (const text of sessionPage({
    session: { ...session, ...numbers } as unknown as SessionPage['session'],
    events: events(),
    without: new Set(),
    announce: (contents) => {
      expect(html).toBe('')
      announced = describeContents(contents)
    },
    bounds,
  }))
    html += text
  return { html, announced }
}

test('events over the bound are cut from the page and its data, and counted', async () => {
  const { html, announced } = await pageOf({ data: 2000, transcript: 100_000 })
  expect(html).toContain('cut here: 2 later events are not in this page')
  expect(html).toContain('{"aspy_export":1,"events":1,"cut":2,"without":[]}')
  expect(html).not.toContain('answer 2')
  expect(announced).toContain('cut here: 2 later events')
})

test('a transcript over its bound is cut, and its events stay in the data', async () => {
  const { html } = await pageOf({ data: 100_000, transcript: 1500 })
  expect(html).toContain('cut here: 2 later events are only in the data of this page')
  expect(html.match(/answer 3/g)).toHaveLength(1)
})
