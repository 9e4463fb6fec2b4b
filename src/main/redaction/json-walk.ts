import { isCredentialHeader, redactHeaderValue } from './http/header-field.ts'
import { isSecretField, namesNext } from './named/named-field.ts'
import { STRUCTURE } from './structure-words.ts'
import { showsEnvFile } from './env-values.ts'
import { showsPrinter } from './printed-rule.ts'

/** Edits that a walk applies to the strings of a JSON value. */
export interface StringEdits {
  text(text: string): string
  /** The value of a field whose name marks it as secret. */
  secret(value: string): string
  /** A field's name. */
  name(name: string): string
  /** Ids from the API or the decoders, which link events. */
  id(text: string): string
  /** A string that shows the content of a .env file. */
  envFile(text: string): string
  /** A string that shows the output of a command whose purpose is to print a secret. */
  printed(text: string): string
  /** Neighbouring text blocks, redacted as one text. */
  joined(texts: readonly string[]): string[]
  /** `metadata.user_id` of a request: device, account and session combined. */
  userId(text: string): string
}

/** What the result of a tool call shows: a .env file, or a secret alone. */
type Shown = 'envFile' | 'printed'

/** Remembers which tool calls show secrets, so that their results are treated as such; bounded. */
export interface EnvCalls {
  /** Records a call if its input shows a .env file or prints a secret. */
  note(callId: string, input: unknown): void
  shown(callId: string): Shown | undefined
}

const MAX_CALLS = 10_000

const ID_FIELDS = new Set(
  'message_id call_id tool_use_id exchange_id retry_of agent_id parent_agent_id prompt_id base'.split(' '),
)
/** Fields that hold a tool's output. */
const CONTENT_FIELDS = new Set(['content', 'output', 'detail', 'tool_response'])
const ID = /^(?:(?:msg|toolu|srvtoolu)_\w{1,100}|[0-9a-f]{8,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export function createEnvCalls(): EnvCalls {
  const calls = new Map<string, Shown>()
  return {
    note(callId, input) {
      const isEnvFile = showsEnvFile(input)
      if (!isEnvFile && !showsPrinter(input)) return
      calls.set(callId, isEnvFile ? 'envFile' : 'printed')
      for (const oldest of calls.keys()) {
        if (calls.size <= MAX_CALLS) break
        calls.delete(oldest)
      }
    },
    shown: (callId) => calls.get(callId),
  }
}

/**
 * Creates a function that rewrites every string of a JSON value, including keys, and returns the value itself if nothing
 * changed. Create it once: V8 compiles its inner functions again and again if each value has its own.
 */
export function createJsonWalk(edits: StringEdits, envCalls: EnvCalls): <T>(value: T) => T {
  return <T>(value: T) => walk(value, edits.text) as T

  function walk(node: unknown, text: (text: string) => string, key = ''): unknown {
    if (typeof node === 'string') return text(node)
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return walkArray(node, text)
    return walkObject(node as { readonly [key: string]: unknown }, text, key)
  }

  function walkArray(node: readonly unknown[], text: (text: string) => string): unknown {
    const edited = text === edits.text ? joinNeighbours(node) : node
    let out: unknown[] | null = null
    for (let index = 0; index < edited.length; index += 1) {
      const item = edited[index]
      const before = edited[index - 1]
      const isNamed =
        typeof item === 'string' && typeof before === 'string' && namesNext(before, item, edited.length === 2)
      const walked = isNamed
        ? edits.secret(item)
        : walk(item, isCredentialHeader(before) ? headerEdit(before, item, text) : text)
      if (walked !== node[index]) out ??= node.slice(0, index)
      out?.push(walked)
    }
    return out ?? node
  }

  function walkObject(node: { readonly [key: string]: unknown }, outer: (text: string) => string, key: string) {
    const callId = node['id'] ?? node['call_id']
    if (typeof callId === 'string' && node['input'] !== undefined) envCalls.note(callId, node['input'])
    const resultOf = node['tool_use_id'] ?? node['call_id']
    const shown = typeof resultOf === 'string' && node['input'] === undefined ? envCalls.shown(resultOf) : undefined
    const names = Object.keys(node)
    // Copied only from the first change on: nearly all objects stay unchanged.
    let changed: [string, unknown][] | null = null
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? ''
      const item = node[name]
      const newName = edits.name(name)
      const isUserId = key === 'metadata' && name === 'user_id' && typeof item === 'string'
      const newItem = isUserId
        ? edits.userId(item)
        : isSecret(node, name, item)
          ? edits.secret(String(item))
          : walk(item, headerEdit(headerOf(node, name), item, editOf(name, item, shown, outer)), name)
      if (newName !== name || newItem !== item)
        changed ??= names.slice(0, index).map((before) => [before, node[before]])
      changed?.push([newName, newItem])
    }
    // Object.fromEntries defines each property, so a key named __proto__ is safe.
    return changed === null ? node : Object.fromEntries(changed)
  }

  /** Picks the edit for a field's text. */
  function editOf(name: string, item: unknown, shown: Shown | undefined, outer: (text: string) => string) {
    if (typeof item === 'string' && ID_FIELDS.has(name) && ID.test(item)) return edits.id
    return shown !== undefined && CONTENT_FIELDS.has(name) ? edits[shown] : outer
  }

  /** Picks the edit for the value of a header, or its values. */
  function headerEdit(header: unknown, item: unknown, text: (text: string) => string) {
    if (!isCredentialHeader(header) || !(typeof item === 'string' || Array.isArray(item))) return text
    return (value: string) => redactHeaderValue(header, value, text)
  }

  /** Redacts adjacent text blocks as one text. */
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

/** True for `{ "password": "…" }` and for `{ "name": "DB_PASSWORD", "value": "…" }`. */
function isSecret(node: { readonly [key: string]: unknown }, field: string, value: unknown): value is string | number {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  if (field === 'value' || field === 'Value') {
    const name = nameOf(node)
    return typeof name === 'string' && isSecretField(name, value)
  }
  return !STRUCTURE.has(field) && isSecretField(field, value)
}

const nameOf = (node: { readonly [key: string]: unknown }) => node['name'] ?? node['Name'] ?? node['key'] ?? node['Key']

/** Returns the possible header name for the value in a field. */
const headerOf = (node: { readonly [key: string]: unknown }, field: string) =>
  field === 'value' || field === 'Value' ? nameOf(node) : field

function textOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null
  const { type, text } = item as { readonly type?: unknown; readonly text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : null
}
