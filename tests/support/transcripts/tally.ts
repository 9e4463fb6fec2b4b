import { blocksOf, fields, isFields, text, type Fields } from './json-fields.ts'

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Content of one conversation: a session's own, or that of one of its agents. */
export class Tally {
  readonly thinking = new Set<string>()
  readonly texts = new Set<string>()
  readonly toolCalls = new Set<string>()
  readonly toolResults = new Set<string>()
  /** By message id and request id: one message spreads over several lines that repeat its figures. */
  readonly usage = new Map<string, Usage>()
  readonly #keys = new Map<string, string>()

  /** Counts a `user` or `assistant` line; every block and every message counts once, however often it is repeated. */
  add(line: Fields): void {
    const message = fields(line['message'])
    if (line['type'] === 'user') {
      for (const block of blocksOf(message))
        if (block['type'] === 'tool_result') this.toolResults.add(text(block['tool_use_id']))
    } else if (line['type'] === 'assistant' && message['model'] !== '<synthetic>') this.#addAnswer(line, message)
  }

  #addAnswer(line: Fields, message: Fields): void {
    const key = this.#keyOf(text(message['id']) || text(line['uuid']), text(line['requestId']))
    for (const block of blocksOf(message)) {
      // Resumed sessions of 1.0 repeat whole messages under new uuids, so a block is identified by its content.
      if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking')
        this.thinking.add([key, text(block['thinking']), text(block['signature']), text(block['data'])].join(' '))
      // 2.1.36: a text of line breaks only may precede a call. It says nothing.
      if (block['type'] === 'text' && text(block['text']).trim() !== '') this.texts.add(`${key} ${text(block['text'])}`)
      if (block['type'] === 'tool_use' || block['type'] === 'server_tool_use') this.toolCalls.add(text(block['id']))
      if (text(block['type']).endsWith('_tool_result')) this.toolResults.add(text(block['tool_use_id']))
    }
    if (isFields(message['usage'])) this.#addUsage(key, message['usage'])
  }

  /** A session resumed by 1.0.51 repeats its last answer under a new uuid and without its request id. */
  #keyOf(message: string, request: string): string {
    const known = this.#keys.get(message)
    const key = known !== undefined && (request === '' || known === `${message} `) ? known : `${message} ${request}`
    if (known === undefined) this.#keys.set(message, key)
    return key
  }

  /** Lines written while an answer streams hold a placeholder for its output: the largest figure is the last. */
  #addUsage(key: string, fields: Fields): void {
    const usage = {
      input: count(fields['input_tokens']),
      output: count(fields['output_tokens']),
      cacheRead: count(fields['cache_read_input_tokens']),
      cacheWrite: count(fields['cache_creation_input_tokens']),
    }
    const known = this.usage.get(key)
    if (known === undefined || total(usage) > total(known)) this.usage.set(key, usage)
  }
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function total(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite
}
