import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { comparedFacts } from '../support/allowed-differences.ts'
import { findClaude, runClaude, type ClaudeOptions, type ClaudeRun } from '../support/claude-client.ts'
import type { Answer, Step } from '../support/messages-answer.ts'
import { lastUserText, startMessagesUpstream, type SeenRequest } from '../support/messages-upstream.ts'
import { startApp, type TestApp } from '../support/start-app.ts'
import { factsOf } from '../support/store-facts.ts'
import { makeTempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

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

const USAGE = { input_tokens: 101, output_tokens: 43, cache_read_input_tokens: 907, cache_creation_5m: 61 }
const say = (...steps: readonly Step[]): Answer => ({ steps, usage: USAGE })
const agent = (prompt: string, id: string): Step => ({
  tool: 'Agent',
  input: { description: prompt.slice(0, 20), prompt, subagent_type: 'general-purpose', run_in_background: false },
  id,
})
const bash = (command: string, id: string): Step => ({ tool: 'Bash', input: { command, description: 'run it' }, id })

interface Story {
  readonly name: string
  /** Each is one run of the client; `{session}` in its arguments stands for the first run's session. */
  readonly runs: readonly (Pick<ClaudeOptions, 'prompt'> & { readonly args?: readonly string[] })[]
  readonly script: (request: SeenRequest, n: number) => Answer
  /** Facts that the transcript leaves out, by the kind they are of. */
  readonly onlyLive?: readonly RegExp[]
  /** Requests that ask again for what an earlier one did not get. */
  readonly retries?: number
  /** The client's own total leaves out what it never heard the end of. */
  readonly isCut?: true
}

const isSummary = (request: SeenRequest) => lastUserText(request.body).includes('CRITICAL: Respond with TEXT ONLY')

const STORIES: readonly Story[] = [
  {
    name: 'a subagent, two calls at once, one that fails and one that is denied',
    runs: [{ prompt: 'Do many things.' }],
    script: (request, n) => {
      if (request.agentId !== null) return say({ thinking: 'I look.' }, { text: 'The agent saw three files.' })
      if (n === 0) return say({ text: 'Both at once.' }, bash('echo one', 'toolu_one'), bash('echo two', 'toolu_two'))
      if (n === 1) return say({ tool: 'Read', input: { file_path: '/nowhere/at/all' }, id: 'toolu_fails' })
      if (n === 2) return say(bash('rm -rf /tmp/not-allowed', 'toolu_denied'))
      if (n === 3) return say(agent('Count the files.', 'toolu_agent'))
      return say({ text: 'All done.' })
    },
  },
  {
    name: 'an agent that starts an agent',
    runs: [{ prompt: 'Go deep.' }],
    script: (request, n) => {
      const asked = JSON.stringify(request.body?.messages[0])
      if (request.agentId !== null && asked.includes('Second level')) return say({ text: 'Deep answer.' })
      if (request.agentId !== null)
        return n === 0 ? say(agent('Second level: look.', 'toolu_deep')) : say({ text: 'First level is done.' })
      return n === 0 ? say(agent('First level: go on.', 'toolu_first')) : say({ text: 'Up again.' })
    },
  },
  {
    name: 'resumed, then compacted, then resumed again',
    runs: [
      { prompt: 'Say hello with zebra stripes.' },
      { prompt: '/compact focus on zebras', args: ['--resume', '{session}'] },
      { prompt: 'What did we talk about?', args: ['--resume', '{session}'] },
    ],
    script: (request) =>
      isSummary(request)
        ? say({ text: '<analysis>zebras</analysis>\n<summary>\n1. The user spoke of zebras.\n</summary>' })
        : say({ thinking: 'Stripes.' }, { text: `An answer to: ${lastUserText(request.body).slice(-20)}` }),
    // What the summary cost stands in no line.
    onlyLive: [/^usage:/],
  },
  {
    name: 'busy twice, then heard',
    runs: [{ prompt: 'Try until it works.' }],
    script: (_, n) => {
      if (n === 0) return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
      if (n === 1)
        return {
          status: 429,
          error: { type: 'rate_limit_error', message: 'Slow down' },
          headers: { 'retry-after': '1' },
        }
      return say({ text: 'At last.' })
    },
    retries: 2,
  },
  {
    name: 'an error amid the stream, then heard',
    runs: [{ prompt: 'Break and go on.' }],
    script: (_, n) =>
      n === 0
        ? say({ failure: { type: 'overloaded_error', message: 'Overloaded' } })
        : say({ text: 'Whole this time.' }),
    // The start of the broken answer told what it had read: the client counts it, and writes no line of it.
    onlyLive: [/^usage:/],
    isCut: true,
  },
  {
    name: 'a stream cut after its first words',
    runs: [{ prompt: 'Be cut.' }],
    script: (_, n) =>
      n === 0 ? say({ text: 'These words came, and then' }, { cut: true }) : say({ text: 'Resumed and done.' }),
    onlyLive: [/^(?:block|usage):/],
    isCut: true,
  },
]

async function playLive(story: Story, app: TestApp, home: string): Promise<ClaudeRun[]> {
  const hook = {
    type: 'http',
    url: `${app.app}/api/hooks`,
    headers: { authorization: `Bearer ${app.token}` },
  }
  const settings = { hooks: Object.fromEntries(HOOKS.map((name) => [name, [{ hooks: [hook] }]])) }
  const played: ClaudeRun[] = []
  for (const { prompt, args = [] } of story.runs) {
    const session = played[0]?.result?.session_id ?? randomUUID()
    const filled = args.map((word) => word.replace('{session}', session))
    played.push(await runClaude({ baseUrl: app.proxy, prompt, home, settings, args: filled }))
  }
  return played
}

async function importInto(app: TestApp, paths: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(30_000)
  for await (const _ of app.running.dispatch.stream('transcripts.import', { paths }, { access: 'all' }, signal)) {
    // Progress; the last batch comes when all is committed.
  }
}

const factsIn = (app: TestApp) => factsOf(join(app.data, 'lifestats.db'))

// The real client, so that what differs between its wire, hooks and transcripts is found out, not assumed.
describe.skipIf(findClaude() === null)('wire, hooks and transcripts of the real client', () => {
  test.each(STORIES)('$name: the same events, and the cost that the client says', async (story) => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream(story.script)
    await using live = await startApp({ upstream: upstream.url })
    const played = await playLive(story, live, home.path)
    const last = played.at(-1)
    if (!last?.result) throw new Error(`the client said nothing: ${last?.stderr}`)
    const sessionId = last.result.session_id
    const health = () =>
      live.call<{ exchanges_seen: number; exchanges_recorded: number; in_flight: number }>('health.get')
    await until('all is recorded', async () => {
      const { exchanges_seen: seen, exchanges_recorded: recorded, in_flight: open } = await health()
      return seen === upstream.requests.length && recorded === seen && open === 0
    })
    const before = factsIn(live)

    await using other = await startApp({ upstream: upstream.url })
    const transcripts = played[0]?.transcripts.length === 0 ? [] : last.transcripts
    await importInto(other, transcripts)
    const compared = comparedFacts(before, factsIn(other))
    expect(compared.transcripts).toEqual(compared.live)
    for (const name of compared.onlyLive)
      expect(
        story.onlyLive?.some((allowed) => allowed.test(name)),
        name,
      ).toBe(true)

    // Each names the request that it repeats: a chain back to the first.
    const requests = await live.call<{ items: { uuid: string; retry_of: string | null }[] }>('requests.list', {
      session_id: sessionId,
    })
    const repeated = requests.items.flatMap(({ retry_of: earlier }) => earlier ?? [])
    if (story.retries !== undefined) expect(repeated).toHaveLength(story.retries)
    expect(new Set(repeated).size).toBe(repeated.length)
    for (const uuid of repeated) expect(requests.items.map((request) => request.uuid)).toContain(uuid)

    await importInto(live, transcripts)
    expect([...factsIn(live).keys()].toSorted()).toEqual([...before.keys()].toSorted())
    const reconciled = await live.call<{
      client: { cost_usd: number } | null
      difference_usd: number | null
      ours: { calls: number; unpriced_calls: number }
    }>('sessions.reconcile', { session_id: sessionId })
    expect(reconciled.ours.unpriced_calls).toBe(0)
    expect(reconciled.client?.cost_usd).toBeGreaterThan(0)
    if (!story.isCut) expect(Math.abs(reconciled.difference_usd ?? 1)).toBeLessThan(1e-9)
  })
})
