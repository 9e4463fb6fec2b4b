import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from '../app/start-app.ts'

/** Outcome of a tool call in a session. */
export interface ToldResult {
  readonly output: unknown
  readonly isError?: boolean
  /** The client's own structured result. */
  readonly detail?: object
}

/** Writes a transcript of Claude Code, one line a second, for a session with chosen prompts, answers and tool calls. */
export class ToldSession {
  readonly id: string
  /** The working directory. */
  folder = '/home/user/shop'
  readonly #lines: object[] = []
  readonly #agents: { readonly id: string; readonly meta: object; readonly lines: object[] }[] = []
  #time = Date.parse('2026-11-20T10:00:00.000Z')
  #parent: string | null = null
  #count = 0
  #begun = 0

  constructor(id: string) {
    this.id = id
  }

  /** Sets the time of the next line. */
  set now(time: number) {
    this.#time = time
  }

  /** The uuid of the last line. */
  get last(): string {
    return this.#parent ?? ''
  }

  prompt(text: string, blocks: readonly object[] = []): this {
    return this.#add(this.#user(blocks.length === 0 ? text : [...blocks, { type: 'text', text }]))
  }

  answer(text: string): this {
    return this.#add(this.#assistant({ type: 'text', text }))
  }

  think(thinking: string): this {
    return this.#add(this.#assistant({ type: 'thinking', thinking, signature: 'c2ln' }))
  }

  /** Adds a call, and its result unless it is null. */
  tool(name: string, input: object, result: ToldResult | null, id = `toolu_${this.id}_${(this.#count += 1)}`): this {
    this.#add(this.#assistant({ type: 'tool_use', id, name, input }))
    return result === null ? this : this.result(id, result)
  }

  /** Adds the result of an earlier call. */
  result(callId: string, { output, isError = false, detail }: ToldResult): this {
    const block = { type: 'tool_result', tool_use_id: callId, content: output, is_error: isError }
    return this.#add({ ...this.#user([block]), ...(detail === undefined ? {} : { toolUseResult: detail }) })
  }

  /** Adds the call of an agent without its result, and the agent's own file. Returns the call's id. */
  agent(id: string, description: string, steps: (agent: ToldSession) => void): string {
    const callId = `toolu_${this.id}_${(this.#count += 1)}`
    const input = { description, prompt: `Do it: ${description}`, subagent_type: 'Explore' }
    this.#add(this.#assistant({ type: 'tool_use', id: callId, name: 'Agent', input }))
    const own = new ToldSession(this.id)
    own.folder = this.folder
    own.#time = this.#time
    own.#count = this.#count + 10_000 * (this.#begun += 1)
    own.prompt(input.prompt)
    steps(own)
    this.#time = own.#time
    this.#count += 1
    const lines = own.#lines.map((line) => ({ ...line, isSidechain: true, agentId: id }))
    this.#agents.push({ id, meta: { agentType: 'Explore', toolUseId: callId }, lines })
    return callId
  }

  /** Imports the session into an app. */
  async importInto(app: TestApp, folder: string): Promise<void> {
    this.write(folder)
    await app.recorderRuns()
    await app.run('transcripts.import', { paths: [folder] })
  }

  /** Writes the session's files to a folder. */
  write(folder: string): void {
    const write = (path: string, lines: readonly object[]) =>
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    mkdirSync(join(folder, this.id, 'subagents'), { recursive: true })
    write(join(folder, `${this.id}.jsonl`), this.#lines)
    for (const { id, meta, lines } of this.#agents) {
      write(join(folder, this.id, 'subagents', `agent-${id}.jsonl`), lines)
      writeFileSync(join(folder, this.id, 'subagents', `agent-${id}.meta.json`), JSON.stringify(meta))
    }
  }

  #add(line: object): this {
    this.#count += 1
    const uuid = `${this.id}-${this.#count}`
    this.#time += 1000
    this.#lines.push({
      sessionId: this.id,
      cwd: this.folder,
      gitBranch: 'main',
      version: '2.1.230',
      userType: 'external',
      timestamp: new Date(this.#time).toISOString(),
      uuid,
      parentUuid: this.#parent,
      ...line,
    })
    this.#parent = uuid
    return this
  }

  #user(content: unknown): object {
    return { type: 'user', message: { role: 'user', content } }
  }

  #assistant(block: object): object {
    const usage = { input_tokens: 100, output_tokens: 20 }
    return {
      type: 'assistant',
      requestId: `req_${this.#count}`,
      message: {
        id: `msg_${this.id}_${this.#count}`,
        model: 'claude-opus-4-8',
        role: 'assistant',
        content: [block],
        usage,
      },
    }
  }
}
