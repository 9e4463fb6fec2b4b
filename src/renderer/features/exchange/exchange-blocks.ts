import { fieldsOf, listOf } from './context-parts.ts'

/** One block of a request or response body. */
export interface BodyBlock {
  readonly key: string
  /** The message's role, or the name of the tool. */
  readonly owner: string
  readonly type: string
  readonly text: string
  /** The block ends with a cache breakpoint. */
  readonly cached: boolean
  /** Its position among tools, system prompt and messages, in the order of the prompt cache; absent if it has none. */
  readonly position?: number
}

/** Returns the blocks of all messages. */
export function messageBlocks(body: Readonly<Record<string, unknown>>): BodyBlock[] {
  let next = listOf(body['tools']).length + systemBlocks(body).length
  return listOf(body['messages']).flatMap((message, at): BodyBlock[] => {
    const { role, content, ...rest } = fieldsOf(message)
    const owner = typeof role === 'string' ? role : 'message'
    const start = next
    const blocks = listOf(content)
    // A message with other fields is one block for the cache.
    const isWhole = Object.keys(rest).length > 0 || typeof content === 'string'
    next += isWhole ? 1 : blocks.length
    if (typeof content === 'string')
      return [{ key: `${at}`, owner, type: 'text', text: content, cached: false, position: start }]
    return blocks.map((block, index) => ({
      ...blockRow(`${at}.${index}`, owner, block),
      ...(isWhole ? {} : { position: start + index }),
    }))
  })
}

/** Returns the blocks of the system prompt. */
export function systemBlocks(body: Readonly<Record<string, unknown>>): BodyBlock[] {
  const { system } = body
  const position = listOf(body['tools']).length
  if (typeof system === 'string')
    return [{ key: '0', owner: 'system', type: 'text', text: system, cached: false, position }]
  return listOf(system).map((block, index) => ({
    ...blockRow(`${index}`, 'system', block),
    position: position + index,
  }))
}

/** Returns the tool definitions. */
export function toolBlocks(body: Readonly<Record<string, unknown>>): BodyBlock[] {
  return listOf(body['tools']).map((tool, index) => {
    const { name, type, description, ...rest } = fieldsOf(tool)
    const about = typeof description === 'string' ? `${description}\n\n` : ''
    return {
      key: `${index}`,
      owner: typeof name === 'string' ? name : String(type ?? 'tool'),
      type: typeof name === 'string' && name.startsWith('mcp__') ? 'MCP tool' : 'tool',
      text: `${about}${JSON.stringify(rest, null, 2)}`,
      cached: 'cache_control' in rest,
      position: index,
    }
  })
}

/** Returns all other fields of the body as JSON. */
export function parametersOf(body: Readonly<Record<string, unknown>>): string {
  const { messages: _, system: __, tools: ___, ...rest } = body
  return JSON.stringify(rest, null, 2)
}

function blockRow(key: string, owner: string, item: unknown): BodyBlock {
  const block = fieldsOf(item)
  const type = typeof block['type'] === 'string' ? block['type'] : 'text'
  return { key, owner, type, text: blockText(type, block), cached: 'cache_control' in block }
}

function blockText(type: string, block: Readonly<Record<string, unknown>>): string {
  const plain = type === 'thinking' ? block['thinking'] : type === 'tool_result' ? block['content'] : block['text']
  if (typeof plain === 'string') return plain
  if (type === 'tool_use') return `${String(block['name'])} ${JSON.stringify(block['input'], null, 2)}`
  if (Array.isArray(plain)) {
    return plain
      .map((part: unknown) => {
        const { text } = fieldsOf(part)
        return typeof text === 'string' ? text : JSON.stringify(part)
      })
      .join('\n')
  }
  return JSON.stringify(block, null, 2)
}
