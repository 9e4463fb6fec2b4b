import type { AnyDraft } from '../decode/draft.ts'
import { naturalKey } from '../decode/draft.ts'
import {
  answerText,
  chooseSubject,
  promptText,
  stepText,
  type Subject,
  summaryText,
  thoughtText,
} from './coding-texts.ts'
import { demoLimits } from './demo-limits.ts'
import { type DemoTask, failOnce, updateTasks } from './incidents.ts'
import type { Random } from './random.ts'
import {
  createSessionWriter,
  type Line,
  type SessionWriter,
  type WrittenBlock,
  type WrittenResponse,
} from './session-writer.ts'
import { type ToolStory, toolStory } from './tool-stories.ts'
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
const tokensOf = (text: string) => Math.ceil(text.length / 3.6)

export function startDemoSession(random: Random, project: DemoProject, startedAt: number): DemoSession {
  const writer = createSessionWriter(random, project.folder, startedAt)
  const subject = chooseSubject(random, project)
  const branch = random.pick(project.branches)
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
      const prompt = promptText(random, subject, prompts.length === 0)
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
      work({ writer, random, subject, tasks }, line, { promptTokens, steps: random.skewed(1, 12) })
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
  { promptTokens, steps }: { readonly promptTokens: number; readonly steps: number },
): string {
  const { writer, random, subject, tasks } = session
  let newTokens = promptTokens
  for (let step = 0; step < steps; step += 1) {
    if (random.chance(0.015)) failOnce(writer, random, line)
    const before = opening(random, subject, 0.45, 0.4)
    const stories = Array.from({ length: random.skewed(1, 3) }, () => ({
      id: `toolu_01${random.hex(22)}`,
      story: toolStory(random, subject),
    }))
    const startsAgent = tasks !== null && random.chance(0.04)
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
    if (tasks !== null && random.chance(0.12)) updateTasks(writer, random, line, tasks)
  }
  const answer = answerText(random, subject)
  const blocks: WrittenBlock[] = [...opening(random, subject, 0.5, 0), { kind: 'assistant_text', text: answer }]
  const kind = steps === 0 ? firstKind(line) : loopKind(line)
  respond(writer, line, blocks, { requestKind: kind, newTokens, stopReason: 'end_turn' })
  if (line.agentId === null) writer.add('turn_ended', { reason: 'end_turn', last_text: answer }, { parents: line.tail })
  return answer
}

const firstKind = (line: Line) => (line.agentId ? ('subagent' as const) : ('prompt' as const))
const loopKind = (line: Line) => (line.agentId ? ('subagent' as const) : ('loop' as const))

function opening(random: Random, subject: Subject, thinks: number, speaks: number): WrittenBlock[] {
  const blocks: WrittenBlock[] = []
  if (random.chance(thinks)) blocks.push({ kind: 'thinking', text: thoughtText(random, subject, random.skewed(1, 14)) })
  if (random.chance(speaks)) blocks.push({ kind: 'assistant_text', text: stepText(random, subject) })
  return blocks
}

function respond(
  writer: SessionWriter,
  line: Line,
  blocks: readonly WrittenBlock[],
  facts: Pick<WrittenResponse, 'requestKind' | 'newTokens' | 'stopReason'>,
): void {
  const sizes = blocks.map((block) => tokensOf(block.kind === 'tool_call' ? JSON.stringify(block.input) : block.text))
  const thinking = blocks.reduce((sum, block, at) => sum + (block.kind === 'thinking' ? (sizes[at] ?? 0) : 0), 0)
  writer.exchange(line, {
    ...facts,
    blocks,
    outputTokens: sizes.reduce((sum, size) => sum + size, 0) + 8,
    thinkingTokens: thinking > 0 ? thinking : null,
  })
}

function writeResult(writer: SessionWriter, line: Line, callId: string, story: ToolStory): string {
  return writer.add(
    'tool_result',
    {
      call_id: callId,
      tool_name: story.name,
      output: story.output,
      is_error: story.isError,
      rejected: story.rejected ?? false,
    },
    {
      agent: line.agentId,
      duration_ms: story.durationMs,
      success: !story.isError,
      error_message: story.isError ? story.output.slice(0, 200) : null,
      keys: [naturalKey.result(callId)],
      parents: [naturalKey.call(callId)],
    },
  )
}

interface AgentStory {
  readonly id: string
  readonly type: string
  readonly input: { readonly description: string; readonly prompt: string; readonly subagent_type: string }
}

function agentStory(random: Random, subject: Subject): AgentStory {
  const type = random.pick(AGENT_TYPES)
  const prompt = `Find every ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)} near ${subject.functionName} and report file, line and why.`
  return {
    id: `toolu_01${random.hex(22)}`,
    type,
    input: { description: `${random.pick(VERBS)} the ${subject.noun}`, prompt, subagent_type: type },
  }
}

function runAgent({ writer, random, subject }: Work, story: AgentStory): string {
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
  const report = work({ writer, random, subject, tasks: null }, line, { promptTokens, steps: random.int(2, 7) })
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
