/** Splits a request body into parts and estimates the tokens of each from its characters. */

import type { RequestLine } from '../../../shared/contract/requests.ts'

export const CONTEXT_PARTS = [
  'system',
  'tools',
  'mcp_tools',
  'prompts',
  'answers',
  'thinking',
  'calls',
  'files',
  'results',
  'media',
] as const
export type ContextPart = (typeof CONTEXT_PARTS)[number]

export const PART_NAMES: Readonly<Record<ContextPart, string>> = {
  system: 'System prompt',
  tools: 'Tools',
  mcp_tools: 'MCP tools',
  prompts: 'Prompts and reminders',
  answers: 'Answers',
  thinking: 'Thinking',
  calls: 'Tool calls',
  files: 'Files read',
  results: 'Tool results',
  media: 'Images and documents',
}

const CHARACTERS_A_TOKEN = 4
/** Tools that return file content. */
const READING_TOOLS: ReadonlySet<string> = new Set(['Read', 'NotebookRead'])

type Fields = Readonly<Record<string, unknown>>

export interface PartSize {
  readonly part: ContextPart
  readonly characters: number
  readonly tokens: number
  /** Share of the whole body, 0 to 1. */
  readonly share: number
}

/** Returns the tokens of a request's input as the API counted them; 0 if it did not. */
export const inputTokens = (usage: RequestLine['usage']): number =>
  usage === null ? 0 : usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens

/**
 * Returns the non-empty parts of a body, in the order they are sent. Their tokens add up to `counted`, the input that the
 * API counted, each in proportion to its characters; without a count, they are estimated at four characters each.
 */
export function contextParts(body: Fields, counted = 0): PartSize[] {
  const sizes = new Map<ContextPart, number>()
  const add = (part: ContextPart, value: unknown) => sizes.set(part, (sizes.get(part) ?? 0) + charactersOf(value))
  add('system', body['system'])
  for (const tool of listOf(body['tools'])) {
    const name = fieldsOf(tool)['name']
    add(typeof name === 'string' && name.startsWith('mcp__') ? 'mcp_tools' : 'tools', tool)
  }
  const toolOfCall = new Map<string, string>()
  for (const message of listOf(body['messages'])) {
    const { role, content } = fieldsOf(message)
    const kind = role === 'assistant' ? 'answers' : 'prompts'
    if (typeof content === 'string') add(kind, content)
    for (const item of listOf(content)) {
      const block = fieldsOf(item)
      switch (block['type']) {
        case 'thinking':
        case 'redacted_thinking':
          add('thinking', block['thinking'] ?? block['data'])
          break
        case 'tool_use':
          toolOfCall.set(String(block['id']), String(block['name']))
          add('calls', block['input'])
          break
        case 'tool_result':
          add(
            READING_TOOLS.has(toolOfCall.get(String(block['tool_use_id'])) ?? '') ? 'files' : 'results',
            block['content'],
          )
          break
        case 'image':
        case 'document':
          add('media', block)
          break
        default:
          add(kind, block['text'] ?? block)
      }
    }
  }
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const total = counted || Math.ceil(all / CHARACTERS_A_TOKEN)
  let before = 0
  const tokensUntil = (end: number) => Math.round((end / all) * total)
  return CONTEXT_PARTS.flatMap((part) => {
    const characters = sizes.get(part) ?? 0
    if (characters === 0) return []
    const start = before
    before += characters
    return [{ part, characters, tokens: tokensUntil(before) - tokensUntil(start), share: characters / all }]
  })
}

function charactersOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + textOf(item).length, 0)
  return textOf(value).length
}

function textOf(item: unknown): string {
  const { text } = fieldsOf(item)
  return typeof text === 'string' ? text : (JSON.stringify(item) ?? '')
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
