import { type AnyDraft, naturalKey } from '../../../src/main/decode/draft.ts'
import type { EventSource, Usage } from '../../../src/shared/event.ts'

/** Drafts of generated sessions for tests of the store, as three sources report them. */

/** Returns numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns words of hexadecimal digits: none of them is a name such as "pwd", after which the next word would be a secret. */
export const randomWords = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 1e9).toString(16)).join(' ')

/** One fact, as reported by each source that knows it. */
export interface Fact {
  readonly reports: readonly AnyDraft[]
}

const START = Date.parse('2026-11-20T10:00:00.000Z')
export const timeAt = (ms: number): string => new Date(START + ms).toISOString()

export const usageOf = (fields: Partial<Usage>): Usage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  thinking_tokens: null,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
  ...fields,
})

interface Common {
  readonly source: EventSource
  readonly session_id: string
  readonly agent_id: string | null
  readonly ts_wall: string
  readonly ts_monotonic: number | null
  readonly project: string | null
  readonly account: string | null
}

/** The fields that a source adds to every fact. */
export function commonFields(source: EventSource, session: string, atMs: number, agent: string | null = null): Common {
  return {
    source,
    session_id: session,
    agent_id: agent,
    ts_wall: timeAt(atMs),
    ts_monotonic: source === 'transcript' ? null : atMs,
    project: source === 'wire' ? null : '/home/ada/orbit',
    account: source === 'wire' ? 'hash-of-ada' : null,
  }
}

/** A prompt: the wire has no id for it, the hook has the prompt's, the transcript has the prompt's and the line's. */
export function promptFact(session: string, id: string, text: string, atMs: number): Fact {
  const identity = { text_identity: { text, within_ms: 10_000 }, parents: [] }
  return {
    reports: [
      {
        ...commonFields('wire', session, atMs + 40),
        ...identity,
        kind: 'user_prompt',
        payload: { text },
        keys: [naturalKey.wirePrompt(`x-${id}`, 0)],
      },
      {
        ...commonFields('hook', session, atMs),
        ...identity,
        kind: 'user_prompt',
        payload: { text, prompt_id: id },
        keys: [naturalKey.promptId(id)],
      },
      {
        ...commonFields('transcript', session, atMs + 5),
        ...identity,
        kind: 'user_prompt',
        payload: { text, prompt_id: id, git_branch: 'main' },
        keys: [naturalKey.line(`line-${id}`), naturalKey.promptId(id)],
      },
    ],
  }
}

/** A block of an answer; wire and transcript name `parents`. */
export function blockFact(
  session: string,
  message: string,
  index: number,
  atMs: number,
  block: { readonly thinking: string } | { readonly text: string } | { readonly call: string; readonly input: object },
  parents: readonly string[],
  agent: string | null = null,
): Fact {
  const report = (source: EventSource): AnyDraft => {
    const common = { ...commonFields(source, session, atMs, agent), parents }
    const keys = [
      naturalKey.block(message, index),
      ...(source === 'transcript' ? [naturalKey.line(`line-${message}-${index}`)] : []),
    ]
    const place = { message_id: message, index }
    if ('thinking' in block)
      return {
        ...common,
        keys,
        kind: 'thinking',
        payload: { text: block.thinking, signature_only: block.thinking === '', ...place },
      }
    if ('text' in block) return { ...common, keys, kind: 'assistant_text', payload: { text: block.text, ...place } }
    return {
      ...common,
      keys: [naturalKey.call(block.call), ...keys],
      kind: 'tool_call',
      payload: { call_id: block.call, tool_name: 'Bash', input: block.input as never, ...place },
    }
  }
  return { reports: [report('wire'), report('transcript')] }
}

/** A tool's result: the hook measures its duration. */
export function resultFact(
  session: string,
  call: string,
  output: string,
  atMs: number,
  agent: string | null = null,
): Fact {
  const report = (source: EventSource): AnyDraft => ({
    ...commonFields(source, session, atMs, agent),
    kind: 'tool_result',
    payload: { call_id: call, tool_name: 'Bash', output, is_error: output.startsWith('error'), rejected: false },
    keys: [naturalKey.result(call)],
    parents: [naturalKey.call(call)],
    ...(source === 'hook' ? { duration_ms: 12.5, sighting: { duration_ms: 12.5 } } : {}),
  })
  return { reports: [report('wire'), report('hook'), report('transcript')] }
}

/** A message's usage: measured on the wire, a placeholder on each of the transcript's lines. */
export function usageFact(
  session: string,
  message: string,
  parent: string,
  atMs: number,
  usage: Usage,
  model: string,
): Fact {
  const report = (source: EventSource, output: number): AnyDraft => ({
    ...commonFields(source, session, atMs),
    kind: 'api_usage',
    payload: {
      message_id: message,
      model,
      usage: { ...usage, output_tokens: output },
      request_kind: source === 'wire' ? 'prompt' : null,
      basis: source === 'wire' ? 'measured' : 'lower_bound',
      ttft_ms: source === 'wire' ? 210 : null,
    },
    keys: [naturalKey.usage(message)],
    parents: [parent],
  })
  return {
    reports: [
      report('wire', usage.output_tokens),
      report('transcript', 1),
      report('transcript', Math.ceil(usage.output_tokens / 2)),
    ],
  }
}

const WORDS = 'orbit theme solarized parser cache reader writer token lineage commit branch vector socket proxy'.split(
  ' ',
)
const MODELS = ['claude-opus-5-5', 'claude-haiku-4-5-20251001', 'claude-sonnet-5-5[1m]', 'claude-nobody-knows-1']

/** A session of `turns` turns: prompts, thinking, calls with results, a subagent, answers, usage, an error. */
export function sessionFacts(session: string, turns: number, random: () => number, startMs = 0): readonly Fact[] {
  const facts: Fact[] = []
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
  let at = startMs
  const later = () => (at += 500 + Math.floor(random() * 20_000))
  for (let turn = 1; turn <= turns; turn += 1) {
    at += random() < 0.2 ? 900_000 : 30_000
    const id = `${session}-p${turn}`
    // The same text is typed repeatedly: only time and place distinguish the prompts.
    facts.push(promptFact(session, id, random() < 0.4 ? 'continue' : words(6), at))
    let parent: string = naturalKey.promptId(id)
    const steps = 1 + Math.floor(random() * 3)
    for (let step = 0; step < steps; step += 1) {
      const message = `msg-${session}-${turn}-${step}`
      const call = `call-${session}-${turn}-${step}`
      facts.push(
        blockFact(session, message, 0, later(), { thinking: random() < 0.1 ? '' : words(random() < 0.1 ? 400 : 12) }, [
          parent,
        ]),
      )
      facts.push(
        blockFact(
          session,
          message,
          1,
          later(),
          { call, input: { command: words(3), note: { $content: 'looks like ours' } } },
          [naturalKey.block(message, 0)],
        ),
      )
      if (random() < 0.2) facts.push(...agentFacts(session, `agent-${call}`, call, later(), words(9)))
      facts.push(
        resultFact(session, call, random() < 0.1 ? `error: ${words(4)}` : words(random() < 0.1 ? 3000 : 20), later()),
      )
      const usage = usageOf({
        input_tokens: Math.floor(random() * 4000),
        output_tokens: 1 + Math.floor(random() * 900),
        cache_read_input_tokens: Math.floor(random() * 90_000),
        cache_creation_input_tokens: 400,
        cache_creation_1h_input_tokens: random() < 0.5 ? 400 : 0,
      })
      const model = MODELS[Math.floor(random() * MODELS.length)] ?? ''
      facts.push(usageFact(session, message, naturalKey.block(message, 1), later(), usage, model))
      parent = naturalKey.result(call)
    }
    facts.push(blockFact(session, `msg-${session}-${turn}-end`, 0, later(), { text: words(15) }, [parent]))
    if (random() < 0.2) facts.push({ reports: [errorDraft(session, later(), parent)] })
    if (turn % 3 === 0) facts.push(taskFact(session, turn, at + 1), limitFact(session, turn, at + 2))
  }
  facts.push({
    reports: [
      {
        ...commonFields('hook', session, at + 1000),
        kind: 'session_ended',
        payload: { reason: 'exit' },
        keys: [],
        parents: [],
      },
    ],
  })
  return facts
}

function agentFacts(session: string, agent: string, call: string, atMs: number, text: string): readonly Fact[] {
  const started: AnyDraft = {
    ...commonFields('hook', session, atMs, agent),
    kind: 'agent_started',
    payload: { agent_id: agent, agent_type: 'Explore', parent_agent_id: null, call_id: call },
    keys: [naturalKey.agentStart(agent)],
    parents: [naturalKey.call(call)],
  }
  return [
    { reports: [started] },
    blockFact(session, `msg-${agent}`, 0, atMs + 300, { text }, [naturalKey.agentStart(agent)], agent),
    {
      reports: [
        {
          ...commonFields('hook', session, atMs + 400, agent),
          kind: 'agent_ended',
          payload: { agent_id: agent, agent_type: 'Explore', last_text: text },
          success: true,
          keys: [naturalKey.agentEnd(agent)],
          parents: [naturalKey.agentStart(agent)],
        },
      ],
    },
  ]
}

/** Creates a task, completes it, and creates it again under the same number, as long sessions do. */
function taskFact(session: string, turn: number, atMs: number): Fact {
  const isNew = turn % 2 === 1
  const tasks = [
    { id: String(turn % 5), subject: isNew ? `task of ${turn}` : '', status: isNew ? 'pending' : 'completed' },
  ]
  const report = (source: EventSource): AnyDraft => ({
    ...commonFields(source, session, atMs),
    kind: 'task_update',
    payload: { tasks },
    keys: [naturalKey.tasks(`task-call-${session}-${turn}`)],
    parents: [],
  })
  return { reports: [report('wire'), report('transcript')] }
}

function limitFact(session: string, turn: number, atMs: number): Fact {
  const limits = { 'requests-limit': 4000, 'requests-remaining': 4000 - turn, 'unified-5h-utilization': turn / 100 }
  const draft: AnyDraft = {
    ...commonFields('wire', session, atMs),
    kind: 'rate_limit',
    payload: { limits },
    keys: [`limits:${session}:${turn}`],
    parents: [],
  }
  return { reports: [draft] }
}

function errorDraft(session: string, atMs: number, parent: string): AnyDraft {
  return {
    ...commonFields('wire', session, atMs),
    kind: 'error',
    payload: { origin: 'upstream', type: 'overloaded_error', message: 'overloaded', status: 529 },
    keys: [],
    parents: [parent],
  }
}
