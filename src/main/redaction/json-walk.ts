import { showsEnvFile } from './env-values.ts'

/** What a walk does with the strings of a JSON value. */
export interface StringEdits {
  text(text: string): string
  /** The name of a field. */
  name(name: string): string
  /** What holds events together: ids that the API or the decoders gave. */
  id(text: string): string
  /** Strings that show the content of a .env file. */
  envFile(text: string): string
  joined(texts: readonly string[]): string[]
  /** `metadata.user_id` of a request: device, account and session in one. */
  userId(text: string): string
}

/** Remembers which tool calls show a .env file, so that their results are read as one; bounded. */
export interface EnvCalls {
  /** Takes a call's id and input. */
  note(callId: string, input: unknown): void
  has(callId: string): boolean
}

const MOST_CALLS = 10_000

const ID_FIELDS = new Set(
  'message_id call_id tool_use_id exchange_id retry_of agent_id parent_agent_id prompt_id base'.split(' '),
)
/** Where a tool's answer stands. */
const CONTENT_FIELDS = new Set(['content', 'output', 'detail', 'tool_response'])
const ID = /^(?:(?:msg|toolu|srvtoolu)_\w{1,100}|[0-9a-f]{8,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export function createEnvCalls(): EnvCalls {
  const ids = new Set<string>()
  return {
    note(callId, input) {
      if (!showsEnvFile(input)) return
      ids.add(callId)
      for (const oldest of ids) {
        if (ids.size <= MOST_CALLS) break
        ids.delete(oldest)
      }
    },
    has: (callId) => ids.has(callId),
  }
}

/** Edits every string of a JSON value, keys too; gives back the value itself where nothing changed. */
export function walkJson(value: unknown, edits: StringEdits, envCalls: EnvCalls): unknown {
  return walk(value, edits.text)

  function walk(node: unknown, text: (text: string) => string, key = ''): unknown {
    if (typeof node === 'string') return text(node)
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return walkArray(node, text)
    return walkObject(node as { readonly [key: string]: unknown }, text, key)
  }

  function walkArray(node: readonly unknown[], text: (text: string) => string): unknown {
    const edited = text === edits.text ? joinNeighbours(node) : node
    let out: unknown[] | null = null
    for (const [index, item] of edited.entries()) {
      const walked = walk(item, text)
      if (walked !== node[index]) out ??= node.slice(0, index)
      out?.push(walked)
    }
    return out ?? node
  }

  function walkObject(
    node: { readonly [key: string]: unknown },
    outer: (text: string) => string,
    key: string,
  ): unknown {
    const callId = node['id'] ?? node['call_id']
    if (typeof callId === 'string' && node['input'] !== undefined) envCalls.note(callId, node['input'])
    const resultOf = node['tool_use_id'] ?? node['call_id']
    const isEnv = typeof resultOf === 'string' && node['input'] === undefined && envCalls.has(resultOf)
    const names = Object.keys(node)
    // A copy from the first change on: nearly all objects stay as they are.
    let changed: [string, unknown][] | null = null
    for (const [index, name] of names.entries()) {
      const item = node[name]
      const newName = edits.name(name)
      const isUserId = key === 'metadata' && name === 'user_id' && typeof item === 'string'
      const newItem = isUserId ? edits.userId(item) : walk(item, editOf(name, item, isEnv, outer), name)
      if (newName !== name || newItem !== item) {
        changed ??= names.slice(0, index).map((before) => [before, node[before]])
      }
      changed?.push([newName, newItem])
    }
    // Defined one by one: a key may be called __proto__.
    return changed === null ? node : Object.fromEntries(changed)
  }

  /** How the text of a field is edited. */
  function editOf(name: string, item: unknown, isEnv: boolean, outer: (text: string) => string) {
    if (typeof item === 'string' && ID_FIELDS.has(name) && ID.test(item)) return edits.id
    return isEnv && CONTENT_FIELDS.has(name) ? edits.envFile : outer
  }

  /** Text blocks that stand next to each other, redacted as one text. */
  function joinNeighbours(node: readonly unknown[]): readonly unknown[] {
    if (!node.some((item, index) => textOf(item) !== null && textOf(node[index + 1]) !== null)) return node
    const out = [...node]
    for (let start = 0; start < node.length;) {
      let end = start
      while (end < node.length && textOf(node[end]) !== null) end += 1
      if (end - start > 1) {
        const texts = edits.joined(node.slice(start, end).map((item) => textOf(item) ?? ''))
        texts.forEach((text, index) => {
          if (text !== textOf(node[start + index])) out[start + index] = { ...(node[start + index] as object), text }
        })
      }
      start = Math.max(end, start + 1)
    }
    return out
  }
}

function textOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null
  const { type, text } = item as { readonly type?: unknown; readonly text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : null
}
