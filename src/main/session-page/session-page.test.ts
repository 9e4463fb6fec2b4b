import { expect, test } from 'vitest'
import type { Exported } from './exported.ts'
import { describeContents } from './page-contents.ts'
import { sessionPage, type SessionPage } from './session-page.ts'

const event = (at: number, payload: object, more: object = {}) => ({
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
    payload,
    ...more,
  } as unknown as Exported['event'],
  keys: [],
  parent_keys: [],
  sightings: [],
  contents: {},
})

const ANSWERS = [1, 2, 3].map((at) => event(at, { text: `answer ${at} ${'x'.repeat(1000)}` }))

async function pageOf(
  bounds: { data: number; transcript: number },
  items: readonly Exported[] = ANSWERS,
): Promise<{ html: string; announced: string }> {
  let announced = ''
  async function* events() {
    await Promise.resolve()
    yield* items
  }
  // The fields of a session that the page's head shows.
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

test('each model has a row and each turn a bar; each folder, file and image counts once', async () => {
  const usage = (model: string, input_tokens: number, output_tokens: number) => ({
    model,
    usage: { input_tokens, output_tokens },
  })
  const [first, second] = ['/home/ann/one', '/home/ann/two']
  const edits = [first, second].map((folder) => ({ file_path: `${folder}/a.ts` }))
  const media = [
    { kind: 'image', media_type: 'image/png', bytes: 10, hash: 'x' },
    { kind: 'image', media_type: 'image/jpeg', bytes: 20, hash: 'y' },
  ]
  const { html, announced } = await pageOf({ data: 100_000, transcript: 100_000 }, [
    event(1, usage('opus', 10, 1), { kind: 'api_usage', project: first }),
    event(2, usage('haiku', 5, 0), { kind: 'api_usage', project: first }),
    event(3, usage('opus', 20, 2), { kind: 'api_usage', project: second, turn_id: 2 }),
    event(4, { tool_name: 'Other', input: { file_path: `${first}/a.ts`, edits } }, { kind: 'tool_call', turn_id: 2 }),
    event(5, { text: 'look', media }, { kind: 'user_prompt', turn_id: 2 }),
  ])
  expect(html).toContain('<td>opus</td><td>2</td><td>30</td><td>0</td><td>0</td><td>3</td>')
  expect(html).toContain('<td>haiku</td><td>1</td><td>5</td><td>0</td><td>0</td><td>0</td>')
  const bars = [...html.matchAll(/<rect x="([\d.]+)" y="4" width="([\d.]+)"/g)].map(([, x, width]) => [x, width])
  expect(bars).toEqual([
    ['0.0', '250'],
    ['500.0', '500'],
  ])
  expect(announced).toContain('paths of 2 files in 2 project folders, and notes on 2 images')
  expect(html.match(/<p class="cut">/g)).toHaveLength(2)
})
