import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import type { SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, type Conversation } from './planted-misses.ts'
import { ToldMonths } from './told-months.ts'

interface Told {
  readonly lines: object[]
  sent: number
  parent: string | null
}

/** Months of work of which only the transcripts are known: they are imported once they are complete. */
export class ImportedMonths extends ToldMonths {
  readonly #files = new Map<string, Told>()
  readonly #starts: { readonly prompt: string; readonly toolUseId: string; readonly agentType: string }[] = []
  #count = 0

  override async send(
    session: string,
    conversation: Conversation,
    { calls, input = {}, says = 'done', agent }: Parameters<ToldMonths['send']>[2] = {},
  ): Promise<{ readonly usage: SimulatedUsage; readonly call: string }> {
    const usage = this.simulator.send('key', bodyOf(conversation), conversation.betas)
    const file = this.#files.get(`${session} ${agent ?? ''}`) ?? { lines: [], sent: 0, parent: null }
    this.#files.set(`${session} ${agent ?? ''}`, file)
    const folder = /Working directory: (.*)/.exec(conversation.system.join('\n'))?.[1] ?? '/work/app'
    const add = (line: object) => {
      this.#count += 1
      const uuid = `00000000-0000-7000-8000-${String(this.#count).padStart(12, '0')}`
      const timestamp = new Date(this.simulator.now).toISOString()
      const of = {
        sessionId: session,
        cwd: folder,
        version: this.version,
        userType: 'external',
        timestamp,
        uuid,
        parentUuid: file.parent,
      }
      file.lines.push({
        ...of,
        isSidechain: agent !== undefined,
        ...(agent === undefined ? {} : { agentId: agent }),
        ...line,
      })
      file.parent = uuid
    }
    for (const message of conversation.messages.slice(file.sent))
      if (message.role === 'user') add({ type: 'user', message })
    file.sent = conversation.messages.length
    const id = `msg_i${this.#count}`
    const call = `toolu_i${this.#count}`
    const content = [
      { type: 'text', text: says },
      ...(calls === undefined ? [] : [{ type: 'tool_use', id: call, name: calls, input }]),
    ]
    const { prompt, subagent_type: agentType } = input as { prompt?: string; subagent_type?: string }
    if (prompt !== undefined && agentType !== undefined) this.#starts.push({ prompt, agentType, toolUseId: call })
    this.simulator.now += 2000
    for (const block of content)
      add({
        type: 'assistant',
        requestId: `req_${id}`,
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: conversation.model,
          content: [block],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: usage.input,
            cache_read_input_tokens: usage.read,
            cache_creation_input_tokens: usage.written5m + usage.written1h,
            cache_creation: { ephemeral_5m_input_tokens: usage.written5m, ephemeral_1h_input_tokens: usage.written1h },
            output_tokens: 10,
          },
        },
      })
    this.simulator.now += 18_000
    return { usage, call }
  }

  /** Imports them, file by file. */
  importAll(): void {
    for (const [key, { lines }] of this.#files) {
      const [session = '', agent = ''] = key.split(' ')
      const meta = this.#starts.find(({ prompt }) => JSON.stringify(lines[0]).includes(prompt))
      const decoder = createTranscriptDecoder({
        path: agent === '' ? `/t/${session}.jsonl` : `/t/${session}/subagents/agent-${agent}.jsonl`,
        hash: (text: string) => text,
        ...(agent === '' ? {} : { isAgentFile: { agentId: agent, meta } }),
      })
      this.store.ingest.append([
        ...lines.flatMap((line) => decoder.line(JSON.stringify(line))),
        ...decoder.end(),
      ] as never)
    }
    this.store.ingest.settle()
  }
}
