import { expect, test } from 'vitest'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import type { OperationInput } from '../../../src/shared/contract/index.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { EventSummary } from '../../../src/shared/live-feed.ts'
import type { LiveSession } from '../../../src/shared/turn-state.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { eachInTime } from '../../support/runner/in-time.ts'

/** A window that opens in the middle of a long turn shows of it what one shows that was there from its start. */

/** What of the window's own feed is looked at here. */
interface LiveFeed {
  accept(batch: LiveBatch, now: number): void
  getSnapshot(): { readonly sessions: readonly LiveSession[] }
  lastEventId(): number | null
}
const window = new URL('../../../src/renderer/lib/live/live-store.ts', import.meta.url)
const { LiveStore } = (await import(window.href)) as { LiveStore: new () => LiveFeed }

const EVENTS = 1000
const BACKLOG = 300

/** A turn before, and one of a thousand events that still runs: two agents of which one is done, side calls, errors. */
function longTurn(start: number): AnyDraft[] {
  let count = 0
  const more = (agent: string | null = null) => ({
    at: new Date(start + (count += 1)).toISOString(),
    keys: [`key ${count}`],
    agent_id: agent,
    session_id: 'long',
    // Only the first turn says where.
    project: count < 3 ? '/work/app' : null,
  })
  const usage = (model: string, input: number, agent: string | null = null) =>
    draftOf(
      'api_usage',
      {
        message_id: `m${count}`,
        model,
        usage: {
          input_tokens: input,
          output_tokens: 10,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_creation_1h_input_tokens: 0,
          thinking_tokens: null,
          web_search_requests: 0,
          service_tier: null,
          speed: null,
          inference_geo: null,
        },
        request_kind: null,
        basis: 'measured',
        ttft_ms: null,
      },
      more(agent),
    )
  const call = (tool: string, agent: string | null = null) =>
    draftOf(
      'tool_call',
      { call_id: `c${count}`, tool_name: tool, input: { command: 'make' }, message_id: null, index: 0 },
      more(agent),
    )
  const agentOf = (id: string) => ({ agent_id: id, agent_type: `${id} explorer` })
  const started = (id: string) =>
    draftOf('agent_started', { ...agentOf(id), parent_agent_id: null, call_id: null }, more(id))
  const drafts = [
    draftOf('user_prompt', { text: 'Before' }, more()),
    usage('claude-opus-5-5', 30_000),
    draftOf('user_prompt', { text: 'What takes so long?' }, more()),
    usage('claude-opus-5-5', 40_000),
    started('a1'),
    started('a2'),
    draftOf('error', { origin: 'upstream', type: 'overloaded_error', message: 'busy', status: 529 }, more()),
  ]
  while (drafts.length < EVENTS) {
    drafts.push(call('Bash'), call('Grep', 'a1'), usage('claude-opus-5-5', 50_000 + count))
    drafts.push(usage('claude-haiku-4-5', 900), usage('no-such-model', 7000, 'a1'))
    drafts.push(
      draftOf('thinking', { text: `Hm ${count}.`, signature_only: false, message_id: null, index: 0 }, more()),
    )
  }
  return [...drafts, draftOf('agent_ended', agentOf('a2'), more('a2')), call('Edit')]
}

/** Reads the feed into `feed` as a window does, until `isEnough`. */
async function read(
  app: TestApp,
  feed: LiveFeed,
  input: OperationInput<'live.subscribe'>,
  isEnough: (batches: readonly LiveBatch[]) => boolean | Promise<boolean>,
): Promise<LiveBatch[]> {
  const abort = new AbortController()
  const batches: LiveBatch[] = []
  const stream = app.running.dispatch.stream('live.subscribe', input, { access: 'read' }, abort.signal)
  for await (const { json } of eachInTime('the feed has sent enough', stream)) {
    batches.push(JSON.parse(new TextDecoder().decode(json)) as LiveBatch)
    feed.accept(batches.at(-1) as LiveBatch, Date.now())
    if (await isEnough(batches)) break
  }
  abort.abort()
  return batches
}

/** All events, as a reader got them that was there when they came. */
async function fromTheStart(app: TestApp): Promise<LiveFeed> {
  const feed = new LiveStore()
  for (let more = true; more;) {
    const after = feed.lastEventId() ?? 0
    const { events } = await app.call<{ events: EventSummary[] }>('live.since', {
      after,
      up_to: after + 500,
      limit: 500,
    })
    feed.accept({ events, deltas: [] }, Date.now())
    more = events.length > 0
  }
  return feed
}

test('a window that connects in the middle of a turn, even after a restart, knows the turn from its beginning', async () => {
  using folder = makeTempFolder()
  const now = Date.now()
  const old = draftOf('user_prompt', { text: 'Yesterday' }, { at: '2026-11-01T10:00:00.000Z', session_id: 'old' })
  fillStore(folder.path, [old, ...longTurn(now)])
  await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
  const there = await fromTheStart(app)
  const newest = there.lastEventId() ?? 0
  expect(newest).toBeGreaterThan(EVENTS)
  const last_event_id = newest - BACKLOG

  const payload = { origin: 'client', type: null, message: 'no more', status: null }
  const post = () => app.call('events.post', { session_id: 'long', kind: 'error', payload })
  const hasPosted = ({ events }: LiveBatch) => events.some(({ source }) => source === 'api')
  const knownThere = () => there.getSnapshot().sessions.filter(({ session_id }) => session_id === 'long')
  let late = new LiveStore()
  /** The window's state after the backlog, before new events. */
  let withBacklog: unknown[] = []
  const comeIn = () =>
    read(app, late, { turns: true, last_event_id }, async (got) => {
      if (got[0]?.turns === undefined) return true
      if (got.flatMap(({ events }) => events).length === BACKLOG) {
        withBacklog = [late.getSnapshot().sessions, knownThere()]
        await post()
      }
      return got.some(hasPosted)
    })
  let batches = await comeIn()
  // A turn that time did not suffice for is left out: on a machine so busy the window comes again.
  for (let tries = 0; batches[0]?.turns === undefined && tries < 20; tries += 1) {
    late = new LiveStore()
    batches = await comeIn()
  }
  expect(batches[0]).toMatchObject({ turns: { through: newest, sessions: [{ turn_id: 2 }] } })
  expect(batches.filter(({ turns }) => turns !== undefined)).toHaveLength(1)
  // The backlog's events count once, though they come after the state that holds them.
  const [lateKnew, knewThere] = withBacklog
  expect(lateKnew).toMatchObject([{ session_id: 'long' }])
  expect(lateKnew).toEqual(knewThere)

  // And it continues from there.
  there.accept({ events: batches.filter(hasPosted).flatMap(({ events }) => events), deltas: [] }, Date.now())
  const [session] = late.getSnapshot().sessions
  expect([session]).toEqual(knownThere())
  expect(session).toMatchObject({
    prompt: 'What takes so long?',
    project: '/work/app',
    last_tool: 'Edit',
    model: 'claude-opus-5-5',
    errors: 2,
    sources: ['transcript', 'api'],
    agents: [
      { agent_id: 'a1', ended: false },
      { agent_id: 'a2', ended: true },
    ],
  })
  expect(session?.tools).toBeGreaterThan(EVENTS / 4)
  expect(session?.unpriced).toBeGreaterThan(EVENTS / 8)

  // Who does not ask gets what there always was.
  const plain = await read(app, new LiveStore(), { last_event_id }, () => true)
  expect(Object.keys(plain[0] ?? {})).toEqual(['events', 'deltas'])
})
