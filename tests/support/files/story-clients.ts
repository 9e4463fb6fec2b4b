import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToldSession, ToldResult } from '../transcripts/told-session.ts'

/** One who makes tool calls: a session of Claude Code, its agent, or one of Codex. */
export interface Caller {
  /** Records a call with its result under an id. */
  call(id: string, tool: string, input: object, result: ToldResult): void
  prompt(text: string): void
}

/** A session, or an agent of one, on the clock of the story. */
export function claudeCaller(session: ToldSession, now: () => number): Caller {
  return {
    call(id, tool, input, result) {
      session.now = now()
      session.tool(tool, input, null, id).result(id, result)
    },
    prompt(text) {
      session.now = now()
      session.prompt(text)
    },
  }
}

/** A session of Codex, which writes a rollout; its calls are patches. */
export class CodexCaller implements Caller {
  readonly #lines: object[] = []
  readonly #id: string
  readonly #now: () => number

  constructor(id: string, folder: string, now: () => number) {
    this.#id = id
    this.#now = now
    const meta = { id, timestamp: this.#time(), cwd: folder, originator: 'codex_exec', cli_version: '0.169.0' }
    this.#add('session_meta', { ...meta, source: 'exec', model_provider: 'openai', git: {} })
  }

  prompt(text: string): void {
    const turn_id = `${this.#id}-${this.#lines.length}`
    this.#add('event_msg', { type: 'task_started', turn_id, model_context_window: 258_400 })
    const content = [{ type: 'input_text', text }]
    this.#add('response_item', { type: 'message', role: 'user', content })
    this.#add('event_msg', { type: 'user_message', message: text, images: [], local_images: [] })
  }

  call(id: string, tool: string, input: object, { output }: ToldResult): void {
    const [text] = Object.values(input) as unknown[]
    this.#add('response_item', { type: 'custom_tool_call', status: 'completed', call_id: id, name: tool, input: text })
    const said = `Exit code: 0\nWall time: 0 seconds\nOutput:\n${String(output)}\n`
    this.#add('response_item', { type: 'custom_tool_call_output', call_id: id, output: said })
  }

  write(folder: string): string {
    const day = join(folder, 'sessions', '2026', '11', '20')
    mkdirSync(day, { recursive: true })
    const path = join(day, `rollout-2026-11-20T10-00-00-${this.#id}.jsonl`)
    writeFileSync(path, this.#lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return path
  }

  #time = () => new Date(this.#now()).toISOString()

  #add(type: string, payload: object): void {
    this.#lines.push({ timestamp: this.#time(), ordinal: this.#lines.length, type, payload })
  }
}
