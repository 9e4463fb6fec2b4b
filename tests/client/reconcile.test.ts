import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { hookBytes, startRecorder } from '../support/recorder/harness.ts'
import { parcelOf } from '../../src/main/proxy/fixtures/parcel-of.ts'
import { comparedFacts, sharedFacts } from '../support/client/allowed-differences.ts'
import { findClaude, runClaude, type ClaudeRun } from '../support/client/claude-client.ts'
import { startLine } from '../support/upstream/late-line.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { comparedTimes, outOfOrder } from '../support/upstream/compared-times.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { settled } from '../support/app/recorded-session.ts'
import { leaseTunnel } from '../support/tunnel/leased-tunnel.ts'
import { readStore } from '../support/store/folder.ts'
import { factsOf, usageRows } from '../support/store/facts.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { recordTraffic, type Recorded, type TrafficRecording } from '../support/upstream/traffic-recording.ts'
import { until } from '../support/runner/until.ts'
import { sameCost, STORIES, type Story } from './reconcile-stories.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few, heavily } from '../support/runner/heavy.ts'

/** `npm run bench -- times` reads it. */
const TIMES_FILE = process.env['ASPY_TIMES_FILE']

const HOOKS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
]

interface Played {
  readonly runs: readonly ClaudeRun[]
  readonly sessions: readonly string[]
  /** What the upstream received during each run. */
  readonly requests: readonly MessagesUpstream['requests'][]
}

/** `fullMode`: variables of a client in full mode; without them it talks to the recording's proxy. */
async function playLive(
  story: Story,
  recording: TrafficRecording,
  home: string,
  upstream: MessagesUpstream,
  fullMode?: Readonly<Record<string, string>>,
): Promise<Played> {
  const hook = { type: 'http', url: recording.hooks }
  const settings = { hooks: Object.fromEntries(HOOKS.map((name) => [name, [{ hooks: [hook] }]])) }
  const runs: ClaudeRun[] = []
  const requests: MessagesUpstream['requests'][] = []
  for (const [path, text] of Object.entries(story.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  let printed = ''
  const onOutput = (text: string): void => {
    printed += text
    if (story.holdUntil && printed.includes(story.holdUntil.output)) upstream.release(story.holdUntil.hold)
  }
  for (const { args = [], ...said } of story.runs) {
    const before = upstream.requests.length
    const session = runs[0]?.result?.session_id ?? randomUUID()
    const filled = args.map((word) => word.replace('{session}', session))
    const way = fullMode ? { baseUrl: null, env: fullMode } : { baseUrl: recording.proxy }
    const run = await runClaude({ ...said, ...way, home, settings, args: filled, onOutput })
    if (!run.result) throw new Error(`the client said nothing: ${run.stderr}`)
    runs.push(run)
    requests.push(upstream.requests.slice(before))
  }
  return { runs, requests, sessions: [...new Set(runs.flatMap(({ result }) => result?.session_id ?? []))] }
}

/** The recorded traffic, given to a store that has read the transcripts already, each thing with its own time. */
async function recordAfterwards(dataDir: string, traffic: readonly Recorded[]): Promise<void> {
  const { recorder, health, stop } = await startRecorder(dataDir)
  const count = traffic.filter((one) => 'message' in one && one.message.type === 'open').length
  for (const one of traffic) {
    if ('message' in one) recorder.post([parcelOf(one.message)], [])
    else {
      const now = vi.spyOn(Date, 'now').mockReturnValue(one.wall)
      recorder.hook(hookBytes(one.hook))
      now.mockRestore()
    }
  }
  await until('all is recorded again', async () => health().exchanges === count && health().hooks_waiting === 0)
  await stop()
}

const factsIn = (dataDir: string) => factsOf(join(dataDir, 'lifestats.db'))
const rowsIn = (dataDir: string) => usageRows(join(dataDir, 'lifestats.db'))

// The real client, so that what differs between its wire, hooks and transcripts is found out, not assumed.
describe.skipIf(lacks(findClaude() !== null))('wire, hooks and transcripts of the real client', () => {
  test.each(few(STORIES, 2))('$name: the same events, and the numbers that the client says', async (story) => {
    using home = makeTempFolder('aspy-client-')
    using liveFolder = makeTempFolder('aspy-live-')
    using otherFolder = makeTempFolder('aspy-other-')
    await using upstream = await startMessagesUpstream(story.script)
    await using line = story.isDownAtFirst ? await startLine(upstream.url) : null
    await using live = await startApp({ upstream: line?.url ?? upstream.url, dataDir: liveFolder.path })
    await using recording = await recordTraffic(live)
    const up = line?.upAfter(async () => wasRefused(recording.traffic()))
    const played = await playLive(story, recording, home.path, upstream)
    await up
    const opened = recording.traffic().filter((one) => 'message' in one && one.message.type === 'open').length
    await until('all is recorded', async () => {
      const health = await live.call<Record<string, number>>('health.get')
      const isRecorded = health['exchanges_seen'] === opened && health['exchanges_recorded'] === opened
      return (
        isRecorded && health['in_flight'] === 0 && (await live.count({ kind: 'session_ended' })) === played.runs.length
      )
    })
    const refused = refusedBy(recording.traffic())
    expect(refused > 0).toBe(story.isDownAtFirst === true)
    expect(opened - refused).toBe(upstream.requests.length)

    const transcripts = await expectSameAsTranscripts(live, story, played, otherFolder.path)

    // Nobody knows how often the client asks until somebody is there.
    const retries = story.isDownAtFirst ? refused : (story.retries ?? 0)
    await expectRetries(live, played.sessions, retries)
    // Both, in either order.
    await expectNothingNew(live, story, transcripts)
    await recordAfterwards(otherFolder.path, recording.traffic())
    expect(sharedFacts(factsIn(otherFolder.path))).toEqual(sharedFacts(factsIn(live.data)))
    expect(rowsIn(otherFolder.path)).toEqual(rowsIn(live.data))

    await expectNumbers(live, story, played, recording.traffic())
  })

  heavily(test.each(few(STORIES, 1)))('$name, in full mode: the same', async (story) => {
    using home = makeTempFolder('aspy-client-')
    using otherFolder = makeTempFolder('aspy-other-')
    await using upstream = await startMessagesUpstream(story.script)
    await using line = story.isDownAtFirst ? await startLine(upstream.url) : null
    await using live = await startApp({ upstream: line?.url ?? upstream.url })
    using tunnel = await leaseTunnel(live)
    await using recording = await recordTraffic(live)
    const up = line?.upAfter(async () => (await live.count({ kind: 'error' })) > 0)
    const played = await playLive(story, recording, home.path, upstream, tunnel.env)
    await up
    await until(
      'the sessions have ended',
      async () => (await live.count({ kind: 'session_ended' })) === played.runs.length,
    )
    await settled(live)
    expect(await live.count({ kind: 'unknown' })).toBe(0)
    const transcripts = await expectSameAsTranscripts(live, story, played, otherFolder.path)
    const retries = story.isDownAtFirst ? await live.count({ kind: 'error' }) : (story.retries ?? 0)
    await expectRetries(live, played.sessions, retries)
    await expectNothingNew(live, story, transcripts)
    await expectNumbers(live, story, played, recording.traffic())
  })
})

/** Times as the upstream has them, and facts as the transcripts have them. Returns the transcripts. */
async function expectSameAsTranscripts(live: TestApp, story: Story, played: Played, dataDir: string) {
  const times = await comparedTimes(live, played.requests)
  expect(times.filter(({ kind }) => kind === 'turn')).toHaveLength(played.runs.length)
  expect(outOfOrder(times)).toEqual([])
  if (TIMES_FILE) appendFileSync(TIMES_FILE, `${JSON.stringify(times)}\n`)

  const transcripts = played.runs.at(-1)?.transcripts ?? []
  expect(transcripts.length).toBeGreaterThan(0)
  const other = await startApp({ upstream: 'http://127.0.0.1:1', dataDir })
  await other.run('transcripts.import', { paths: transcripts })
  await other.close()
  const compared = comparedFacts(factsIn(live.data), factsIn(dataDir))
  expect(compared.transcripts).toEqual(compared.live)
  for (const name of compared.onlyLive)
    expect(
      story.onlyLive?.some((allowed) => allowed.test(name)),
      name,
    ).toBe(true)
  return transcripts
}

/** An import after live traffic adds nothing but what only a transcript tells. */
async function expectNothingNew(live: TestApp, story: Story, transcripts: readonly string[]): Promise<void> {
  const before = factsIn(live.data)
  await live.run('transcripts.import', { paths: transcripts })
  const after = [...factsIn(live.data).keys()].filter(
    (name) => before.has(name) || !story.onlyImported?.some((allowed) => allowed.test(name)),
  )
  expect(after.toSorted()).toEqual([...before.keys()].toSorted())
}

interface Reconciled {
  readonly ours: { readonly cost_usd: number; readonly unpriced_calls: number }
  readonly client: { readonly cost_usd: number } | null
  readonly copied: { readonly calls: number; readonly cost_usd: number }
  readonly difference_usd: number | null
  readonly only_wire: { readonly cost_usd: number }
  readonly explanation: readonly string[]
}

/** Prompts, calls and their durations, agents and costs, as the client has them: from its result and its hooks. */
async function expectNumbers(
  app: TestApp,
  story: Story,
  { runs, sessions }: Played,
  traffic: readonly Recorded[],
): Promise<void> {
  const { checkCost = sameCost } = story
  const hooks = traffic.flatMap((one) => ('hook' in one ? [one.hook] : []))
  const hooksOf = (...names: readonly string[]) =>
    hooks.filter((hook) => names.includes(String(hook['hook_event_name'])))
  const rows = <T>(sql: string): T[] => readStore(join(app.data, 'lifestats.db'), (db) => db.prepare<[], T>(sql).all())
  expect(rows('SELECT content FROM user_prompts ORDER BY timestamp, id')).toEqual(
    story.runs.map(({ prompt }) => ({ content: prompt })),
  )
  expect(rows('SELECT 1 FROM compactions')).toHaveLength(story.compactions ?? 0)
  // Each end follows the answer that it ends, and a Stop hook adds none.
  expect(
    rows(`SELECT e.uuid FROM events e JOIN events p ON p.uuid = e.parent_uuid AND p.session_id = e.session_id
       WHERE e.kind = 'turn_ended' AND (p.turn_id, p.seq) >= (e.turn_id, e.seq)`),
  ).toEqual([])
  const ended = hooksOf('PostToolUse', 'PostToolUseFailure')
  const durations = new Map(ended.map((hook) => [hook['tool_use_id'], hook['duration_ms'] ?? null]))
  const calls = rows<{ call_id: string; tool_name: string; duration_ms: number | null }>(
    `SELECT c.call_id, c.tool_name, r.duration_ms FROM tool_calls c JOIN tool_results r ON r.call_id = c.call_id ORDER BY 1`,
  )
  const called = hooksOf('PreToolUse').map((hook) => [hook['tool_use_id'], hook['tool_name']])
  expect(calls.map(({ call_id, tool_name }) => [call_id, tool_name])).toEqual(
    [...called, ...(story.refusedCalls ?? [])].toSorted(),
  )
  const withDuration = calls.filter(({ call_id }) => durations.has(call_id))
  expect(withDuration.map(({ call_id, duration_ms }) => [call_id, duration_ms])).toEqual([...durations].toSorted())
  const started = hooksOf('SubagentStart').map((hook) => [hook['agent_id'], hook['agent_type']])
  expect(
    rows<{ id: string; type: string }>('SELECT agent_id AS id, agent_type AS type FROM agents')
      .map((agent) => [agent.id, agent.type])
      .toSorted(),
  ).toEqual(started.toSorted())

  for (const session of sessions) {
    const reconciled = await app.call<Reconciled>('sessions.reconcile', { session_id: session })
    expect(reconciled.ours.unpriced_calls).toBe(0)
    // The session's last run says what all of it has cost, and so does its transcript.
    const result = runs.findLast((run) => run.result?.session_id === session)?.result
    expect(reconciled.client?.cost_usd).toBeCloseTo(result?.total_cost_usd ?? 0, 12)
    expect(reconciled.client?.cost_usd).toBeGreaterThan(0)
    const usages = Object.values(result?.modelUsage ?? {})
    checkCost({
      differenceUsd: reconciled.difference_usd ?? Number.NaN,
      onlyWireUsd: reconciled.only_wire.cost_usd,
      explanation: reconciled.explanation.join(' '),
      outputTokens: rows<{ n: number }>('SELECT sum(output_tokens) AS n FROM api_usage')[0]?.n ?? 0,
      clientOutputTokens: usages.reduce((sum, usage) => sum + Number(usage['outputTokens']), 0),
    })
  }
}

/** A question that reached no one: the client's greeting is none. */
function wasRefused(traffic: readonly Recorded[]): boolean {
  const messages = traffic.flatMap((one) => ('message' in one ? [one.message] : []))
  const asked = new Set(messages.flatMap((one) => (one.type === 'open' && one.method === 'POST' ? [one.exchange] : [])))
  return messages.some((one) => one.type === 'end' && asked.has(one.exchange))
}

/** Requests that the app's proxy answered itself, since nobody listened at the upstream's address. */
function refusedBy(traffic: readonly Recorded[]): number {
  const messages = traffic.flatMap((one) => ('message' in one ? [one.message] : []))
  return messages.filter((one) => one.type === 'response_head' && one.status === 502).length
}

/** Each names the request that it repeats: a chain back to the first. */
async function expectRetries(app: TestApp, sessions: readonly string[], retries: number): Promise<void> {
  for (const session_id of sessions) {
    const { items } = await app.call<{ items: { uuid: string; retry_of: string | null }[] }>('requests.list', {
      session_id,
    })
    const repeated = items.flatMap(({ retry_of: earlier }) => earlier ?? [])
    expect(repeated).toHaveLength(retries)
    expect(new Set(repeated).size).toBe(repeated.length)
    for (const uuid of repeated) expect(items.map((request) => request.uuid)).toContain(uuid)
  }
}
