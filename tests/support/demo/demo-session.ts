import { type AnyDraft, naturalKey } from '../../../src/main/decode/draft.ts'
import { answerText, chooseSubject, promptText, type Subject, summaryText } from './coding-texts.ts'
import { demoLimits } from '../../../src/main/demo/demo-limits.ts'
import { type DemoTask, failOnce, updateTasks } from './incidents.ts'
import type { Random } from '../../../src/main/base/fixtures/random.ts'
import { opening, respond, told, toldCall, tokensOf, writeResult } from './session-steps.ts'
import { createSessionWriter, type Line, type SessionWriter, type WrittenBlock } from './session-writer.ts'
import type { DemoStory, StoryTurn } from './stories.ts'
import type { Talk } from './talks.ts'
import { toolStory } from './tool-stories.ts'
import { ADJECTIVES, type DemoProject, NOUNS, VERBS } from './vocabulary.ts'

/** A generated session with any number of turns. */
export interface DemoSession {
  readonly sessionId: string
  /** ms since 1970. */
  readonly now: () => number
  /** Returns the drafts of the next turn. The first turn begins with the start of the session. */
  turn(): AnyDraft[]
  end(): AnyDraft[]
}

const MODELS = [
  'claude-opus-5-5',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-sonnet-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
] as const
const AGENT_MODELS = ['claude-haiku-5-5', 'claude-sonnet-5-5'] as const
const AGENT_TYPES = ['general-purpose', 'Explore', 'code-reviewer'] as const

/** Text of a session: a whole story with its calls, or a talk with any calls; by default, what templates make. */
export interface DemoScript {
  readonly story?: DemoStory | undefined
  readonly talk?: Talk | undefined
}

export function startDemoSession(
  random: Random,
  project: DemoProject,
  startedAt: number,
  { story, talk }: DemoScript = {},
): DemoSession {
  const writer = createSessionWriter(random, project.folder, startedAt)
  const subject = chooseSubject(random, project, talk)
  const branch = story?.branch ?? random.pick(project.branches)
  const line: Line = {
    agentId: null,
    model: random.pick(MODELS),
    tail: [],
    context: random.int(14_000, 32_000),
    messages: 0,
    retryOf: null,
  }
  // A larger context is compacted; the limit differs by session.
  const fullContext = random.int(34_000, 64_000)
  const prompts: string[] = []
  const tasks: DemoTask[] = []

  return {
    sessionId: writer.sessionId,
    now: () => writer.now(),
    turn() {
      if (prompts.length === 0)
        writer.add(
          'session_started',
          { start: 'startup', model: line.model, client_version: '2.1.330', git_branch: branch },
          {},
        )
      else writer.wait(random.skewed(4_000, 900_000))
      if (line.context > fullContext) compact()
      const turn = story?.turns[prompts.length]
      const prompt = turn?.prompt ?? promptText(random, subject, prompts.length === 0)
      prompts.push(prompt)
      const promptId = random.uuid()
      const key = writer.add(
        'user_prompt',
        { text: prompt, prompt_id: promptId, git_branch: branch },
        { keys: [naturalKey.promptId(promptId)], text_identity: { text: prompt, within_ms: 10_000 } },
      )
      line.tail = [key]
      if (random.chance(0.04)) changeMode()
      const promptTokens = tokensOf(prompt)
      const steps = turn === undefined ? random.skewed(1, 12) : turn.calls.length
      work({ writer, random, subject, tasks }, line, { promptTokens, steps, turn })
      limits()
      return writer.take()
    },
    end() {
      writer.wait(random.int(1_000, 60_000))
      writer.add('session_ended', { reason: random.pick(['prompt_input_exit', 'other', 'clear']) }, {})
      return writer.take()
    },
  }

  function compact(): void {
    const before = line.context
    const summary = summaryText(random, subject, prompts)
    writer.exchange(line, {
      blocks: [],
      requestKind: 'compaction',
      stopReason: 'end_turn',
      newTokens: 900,
      outputTokens: tokensOf(summary),
      thinkingTokens: null,
    })
    line.context = 18_000 + tokensOf(summary)
    line.messages = 0
    writer.add(
      'compaction',
      { trigger: random.chance(0.8) ? 'auto' : 'manual', summary, tokens_before: before, tokens_after: line.context },
      { duration_ms: random.int(8_000, 60_000) },
    )
  }

  function changeMode(): void {
    const [from, to] = random.chance(0.5) ? ['default', 'plan'] : ['plan', 'acceptEdits']
    writer.add('state_change', { name: 'permission_mode', from, to }, { parents: line.tail })
  }

  function limits(): void {
    if (random.chance(0.15)) writer.add('rate_limit', { limits: demoLimits(writer.now()) }, { parents: line.tail })
  }
}

/** Context of the work on one session. */
interface Work {
  readonly writer: SessionWriter
  readonly random: Random
  readonly subject: Subject
  /** The task list; null in a subagent, which has none and starts no further agents. */
  readonly tasks: DemoTask[] | null
}

/** Writes steps of thinking, talking and tool use, then the answer. Returns the answer. */
function work(
  session: Work,
  line: Line,
  asked: { readonly promptTokens: number; readonly steps: number; readonly turn?: StoryTurn | undefined },
): string {
  const { promptTokens, steps, turn } = asked
  const { writer, random, subject, tasks } = session
  let newTokens = promptTokens
  for (let step = 0; step < steps; step += 1) {
    const call = turn?.calls[step]
    if (call === undefined && random.chance(0.015)) failOnce(writer, random, line)
    const before = call === undefined ? opening(random, subject, 0.45, 0.4) : told(call)
    const stories = Array.from({ length: call === undefined ? random.skewed(1, 3) : 1 }, () => ({
      id: `toolu_01${random.hex(22)}`,
      story: call === undefined ? toolStory(random, subject) : toldCall(call, random),
    }))
    const startsAgent = call === undefined && tasks !== null && random.chance(0.04)
    const agentCall = startsAgent ? [agentStory(random, subject)] : []
    const calls: WrittenBlock[] = [
      ...stories.map(({ id, story }): WrittenBlock => ({
        kind: 'tool_call',
        callId: id,
        name: story.name,
        input: story.input,
      })),
      ...agentCall.map(({ id, input }): WrittenBlock => ({ kind: 'tool_call', callId: id, name: 'Agent', input })),
    ]
    const kind = step === 0 ? firstKind(line) : loopKind(line)
    respond(writer, line, [...before, ...calls], { requestKind: kind, newTokens, stopReason: 'tool_use' })
    newTokens = 0
    const results: string[] = []
    for (const { id, story } of stories) {
      if (story.rejected) {
        const text = `Claude needs your permission to use ${story.name}`
        writer.add('notification', { text }, { agent: line.agentId, parents: [naturalKey.call(id)] })
      }
      writer.wait(story.durationMs)
      results.push(writeResult(writer, line, id, story))
      newTokens += tokensOf(story.output)
    }
    for (const agent of agentCall) {
      const startedAt = writer.now()
      const report = runAgent(session, agent)
      // The clock has already advanced by the agent's own work.
      const durationMs = writer.now() - startedAt
      results.push(
        writeResult(writer, line, agent.id, { name: 'Agent', input: null, output: report, isError: false, durationMs }),
      )
      newTokens += tokensOf(report)
    }
    // The next request answers the last result.
    line.tail = results.slice(-1)
    if (call === undefined && tasks !== null && random.chance(0.12))
      updateTasks(writer, random, line, tasks, subject.talker !== null)
  }
  const answer = turn?.answer ?? answerText(random, subject)
  const before = turn === undefined ? opening(random, subject, 0.5, 0) : told({ thinking: turn.thinking })
  const blocks: WrittenBlock[] = [...before, { kind: 'assistant_text', text: answer }]
  const kind = steps === 0 ? firstKind(line) : loopKind(line)
  respond(writer, line, blocks, { requestKind: kind, newTokens, stopReason: 'end_turn' })
  if (line.agentId === null) writer.add('turn_ended', { reason: 'end_turn', last_text: answer }, { parents: line.tail })
  return answer
}

const firstKind = (line: Line) => (line.agentId ? ('subagent' as const) : ('prompt' as const))
const loopKind = (line: Line) => (line.agentId ? ('subagent' as const) : ('loop' as const))

interface AgentStory {
  readonly id: string
  readonly type: string
  readonly input: { readonly description: string; readonly prompt: string; readonly subagent_type: string }
  /** The agent's topic. */
  readonly subject: Subject
}

function agentStory(random: Random, subject: Subject): AgentStory {
  const type = random.pick(AGENT_TYPES)
  const told = subject.talker?.agent()
  if (told !== undefined) {
    const { description, prompt, talker } = told
    const input = { description, prompt, subagent_type: type }
    return { id: `toolu_01${random.hex(22)}`, type, input, subject: { ...subject, talker } }
  }
  const prompt = `Find every ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)} near ${subject.functionName} and report file, line and why.`
  return {
    id: `toolu_01${random.hex(22)}`,
    type,
    input: { description: `${random.pick(VERBS)} the ${subject.noun}`, prompt, subagent_type: type },
    subject,
  }
}

function runAgent({ writer, random }: Work, story: AgentStory): string {
  const agentId = `a${random.hex(16)}`
  const startedAt = writer.now()
  writer.add(
    'agent_started',
    { agent_id: agentId, agent_type: story.type, parent_agent_id: null, call_id: story.id },
    { agent: agentId, keys: [naturalKey.agentStart(agentId)], parents: [naturalKey.call(story.id)] },
  )
  const line: Line = {
    agentId,
    model: random.pick(AGENT_MODELS),
    tail: [naturalKey.agentStart(agentId)],
    context: random.int(6_000, 14_000),
    messages: 0,
    retryOf: null,
  }
  const promptTokens = tokensOf(story.input.prompt)
  const report = work({ writer, random, subject: story.subject, tasks: null }, line, {
    promptTokens,
    steps: random.int(2, 7),
  })
  writer.add(
    'agent_ended',
    { agent_id: agentId, agent_type: story.type, last_text: report },
    {
      agent: agentId,
      duration_ms: writer.now() - startedAt,
      success: true,
      keys: [naturalKey.agentEnd(agentId)],
      parents: [naturalKey.agentStart(agentId)],
    },
  )
  return report
}
