import type { DemoGuard, DemoHook, DemoLine } from '../../../../src/main/demo/demo-file.ts'
import type { JsonObject } from '../../../../src/shared/event.ts'
import type { Random } from '../../../../src/main/base/fixtures/random.ts'
import client from '../texts/client.json' with { type: 'json' }
import type { Block } from './answer-events.ts'
import { applyChange } from './apply-change.ts'
import { responseOf } from './edit-response.ts'
import { ClaudeLine } from './claude-line.ts'
import { logLines, type Script, type ScriptAgent, type ScriptCall, type ScriptStep, type ScriptTurn } from './script.ts'

const MINUTE_MS = 60_000
const BETAS = ['claude-code-20250219', 'interleaved-thinking-2025-05-14']

/** When a session begins, and what its numbers are drawn from. `idMark` is a part of all its ids. */
export interface Telling {
  readonly at: number
  readonly random: Random
  readonly idMark: string
}

/** Returns what a session of Claude Code sends as it follows a script: requests, answers and hooks, in order of time. */
export function tellClaude(script: Script, telling: Telling): readonly DemoLine[] {
  const session = new ClaudeSession(script, telling)
  for (const turn of script.turns) session.turn(turn)
  return session.end()
}

export class ClaudeSession {
  readonly id: string
  readonly main: ClaudeLine
  at: number
  readonly #script: Script
  readonly #random: Random
  readonly #idMark: string
  readonly #lines: ClaudeLine[] = []
  readonly #others: (DemoHook | DemoGuard)[] = []
  #turns = 0

  constructor(script: Script, { at, random, idMark }: Telling) {
    this.#script = script
    this.#random = random
    this.#idMark = idMark
    this.at = at
    const tail = random.hex(8)
    this.id = `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${(idMark + random.hex(12)).slice(0, 12)}`
    this.main = this.#line(null, this.#fields(script.model, tail))
    this.main.pending.push({ type: 'text', text: this.#instructions() })
    this.hook('SessionStart', { source: 'startup', model: script.model })
  }

  turn({ prompt, steps, thinking, answer }: ScriptTurn): void {
    if (this.#turns > 0) this.at += this.#random.int(25_000, 150_000)
    this.#turns += 1
    const [before, rest] = splitAtCall(steps)
    for (const step of before) this.#step(step)
    this.hook('UserPromptSubmit', { prompt, prompt_id: this.#uuid(), permission_mode: 'default' })
    this.at += 60
    this.main.pending.push({ type: 'text', text: prompt })
    for (const step of rest) this.#step(step)
    if (answer === undefined) return
    this.at = this.main.ask(this.at, [...said({ thinking }), { text: answer }])
  }

  end(): readonly DemoLine[] {
    this.at += this.#random.int(20_000, 90_000)
    this.hook('SessionEnd', { reason: 'prompt_input_exit' })
    const all = this.#lines.flatMap(({ written }) => written)
    const fields = all.filter((line) => line.kind === 'fields')
    const steps = [...all.filter((line) => line.kind === 'exchange'), ...this.#others]
    return [...fields, ...steps.toSorted((one, other) => one.at - other.at)]
  }

  hook(event: string, more: JsonObject, agent: JsonObject = {}): void {
    const body = { session_id: this.id, cwd: this.#script.folder, hook_event_name: event, ...agent, ...more }
    this.#others.push({ kind: 'hook', session: this.id, at: Math.round(this.at), body })
  }

  #step(step: ScriptStep): void {
    if ('waitMinutes' in step) this.at += step.waitMinutes * MINUTE_MS
    else if ('change' in step) applyChange(step.change, step.to, this)
    else if ('failure' in step) this.at = this.main.fail(this.at, step.failure) + this.#random.int(1_500, 6_000)
    else if ('compact' in step) this.#compact(step.compact)
    else if ('agents' in step) this.#agents(step.agents, step.says)
    else if ('guard' in step) this.#guard(step.guard)
    else this.#calls(this.main, [step, ...(step.together ?? [])], {})
  }

  /** Calls tools that run at the same time. */
  #calls(line: ClaudeLine, calls: readonly ScriptCall[], agent: JsonObject): void {
    const made = calls.map((call) => ({ call, id: this.#toolId() }))
    const blocks = made.map(({ call, id }): Block => ({ id, tool: call.tool, input: call.input }))
    this.at = line.ask(this.at, [...said(calls[0] ?? {}), ...blocks])
    const begun = this.at
    let ended = begun
    for (const { call, id } of made) {
      const text = call.logLines === undefined ? call.output : `${call.output}\n${logLines(call.logLines, this.#turns)}`
      const ms = call.ms ?? this.#usualMs(call.tool)
      this.at = begun + ms
      ended = Math.max(ended, this.at)
      const about = { tool_name: call.tool, tool_input: call.input, tool_use_id: id, duration_ms: ms }
      if (call.isDenied)
        this.hook('Notification', { message: `Claude needs your permission to use ${call.tool}` }, agent)
      else if (call.fails) this.hook('PostToolUseFailure', { ...about, error: text }, agent)
      else this.hook('PostToolUse', { ...about, tool_response: responseOf(call) }, agent)
      const isError = call.fails || call.isDenied
      line.pending.push({ type: 'tool_result', tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) })
    }
    this.at = ended + this.#random.int(15, 60)
  }

  /** Starts agents that work at the same time, and reports their findings. */
  #agents(agents: readonly ScriptAgent[], says: string | undefined): void {
    const made = agents.map((agent) => ({
      agent,
      id: this.#toolId(),
      agentId: `a${this.#idMark}${this.#random.hex(8)}`,
    }))
    const blocks = made.map(({ agent: { description, prompt, type }, id }): Block => {
      return { id, tool: 'Agent', input: { description, prompt, subagent_type: type } }
    })
    this.at = this.main.ask(this.at, [...said({ says }), ...blocks])
    const begun = this.at
    let ended = begun
    for (const { agent, id, agentId } of made) {
      this.at = begun + this.#random.int(50, 300)
      const [about, startedAt] = [{ agent_id: agentId, agent_type: agent.type }, this.at]
      this.hook('SubagentStart', {}, about)
      const model = agent.model ?? this.#script.model
      const line = this.#line(agentId, agent.isTiny ? this.#tinyFields(model) : this.#agentFields(model))
      line.pending.push({ type: 'text', text: agent.prompt })
      for (const call of agent.steps) this.#calls(line, [call, ...(call.together ?? [])], about)
      this.at = line.ask(this.at, [{ text: agent.report }])
      this.hook('SubagentStop', { last_assistant_message: agent.report }, about)
      const text = `${agent.report}\nagentId: ${agentId} (for resuming)\nduration_ms: ${Math.round(this.at - startedAt)}`
      this.main.pending.push({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] })
      ended = Math.max(ended, this.at)
    }
    this.at = ended + 80
  }

  #compact({ trigger, analysis, summary }: Extract<ScriptStep, { compact: unknown }>['compact']): void {
    this.hook('PreCompact', { trigger, custom_instructions: '' })
    this.main.pending.push({ type: 'text', text: client.compact })
    const text = `<analysis>\n${analysis}\n</analysis>\n\n<summary>\n${summary}\n</summary>`
    this.at = this.main.ask(this.at, [{ text }], 'end_turn')
    this.hook('PostCompact', { trigger, compact_summary: text })
    this.main.rewrite([])
    if (trigger === 'auto') this.main.evict()
    const continued = client.continued.replace('{summary}', summary)
    this.main.pending = [
      { type: 'text', text: this.#instructions() },
      { type: 'text', text: continued },
    ]
    this.at += 300
  }

  #guard(actions: Extract<ScriptStep, { guard: unknown }>['guard']): void {
    const id = `demo-${this.#random.hex(12)}`
    for (const action of actions) {
      this.#others.push({
        kind: 'guard',
        at: Math.round(this.at),
        session: this.id,
        action: { ...action, agent_id: null, id },
      })
      this.at += action.action === 'held' ? this.#random.int(4_000, 8_000) : 200
    }
  }

  #line(agentId: string | null, fields: JsonObject): ClaudeLine {
    const line = new ClaudeLine({
      name: agentId === null ? this.id : `${this.id} ${agentId}`,
      sessionId: this.id,
      agentId,
      fields,
      betas: BETAS,
      lifetime: agentId === null ? '1h' : '5m',
      random: this.#random,
      idMark: this.#idMark,
    })
    this.#lines.push(line)
    return line
  }

  #fields(model: string, account: string): JsonObject {
    const system = this.#filled(client.system).replace('{model}', model)
    const mark = { cache_control: { type: 'ephemeral', ...(model.includes('sonnet') ? {} : { ttl: '1h' }) } }
    return {
      model,
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
      metadata: { user_id: JSON.stringify({ account_uuid: 'demo', session_id: this.id, device_id: account }) },
      system: [
        { type: 'text', text: client.billing },
        { type: 'text', text: client.identity, ...mark },
        { type: 'text', text: system, ...mark },
      ],
      tools: client.tools,
    }
  }

  #agentFields(model: string): JsonObject {
    const { tools: _, system: __, ...rest } = this.#fields(model, 'agent')
    const system = [
      { type: 'text', text: `${client.billing} cc_is_subagent=true;` },
      { type: 'text', text: this.#filled(client.agent), cache_control: { type: 'ephemeral' } },
    ]
    return { ...rest, system, tools: client.tools.filter(({ name }) => name !== 'Agent' && name !== 'ExitPlanMode') }
  }

  #tinyFields(model: string): JsonObject {
    return { ...this.#agentFields(model), tools: [] }
  }

  #instructions(): string {
    const project = this.#script.folder.slice(this.#script.folder.lastIndexOf('/') + 1)
    const rules: Readonly<Record<string, string>> = client.rules
    return this.#filled(client.claude_md)
      .replace('{project}', project)
      .replace('{rules}', rules[project] ?? '')
  }

  #filled(text: string): string {
    return text.replaceAll('{folder}', this.#script.folder).replaceAll('{branch}', this.#script.branch)
  }

  #usualMs(tool: string): number {
    return tool === 'Bash' ? this.#random.skewed(40, 6_000) : this.#random.int(4, 120)
  }

  #toolId(): string {
    return `toolu_01${(this.#idMark + this.#random.hex(22)).slice(0, 22)}`
  }

  #uuid(): string {
    return this.#random.uuid()
  }
}

const said = ({
  thinking,
  says,
}: {
  readonly thinking?: string | undefined
  readonly says?: string | undefined
}): Block[] => [...(thinking === undefined ? [] : [{ thinking }]), ...(says === undefined ? [] : [{ text: says }])]

/** Steps before a prompt (a pause, a change, a compaction) and after it. */
function splitAtCall(steps: readonly ScriptStep[]): readonly [readonly ScriptStep[], readonly ScriptStep[]] {
  const at = steps.findIndex((step) => !('change' in step) && !('waitMinutes' in step) && !('compact' in step))
  return at < 0 ? [steps, []] : [steps.slice(0, at), steps.slice(at)]
}
