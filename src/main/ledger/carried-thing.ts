import type { ShapeBlock, ShapeMessage } from '../../shared/request-shape.ts'
import type { RequestBlocks } from './request-blocks.ts'

/** The category of a block, from the view of the person who pays for it. */
export interface CarriedThing {
  /** `system_prompt`, `tool_schema`, `claude_md`, `skill`, `file_read`, `tool_result` and so on: docs/ledger.md lists them. */
  readonly kind: string
  readonly tool: string | null
  /** The MCP server of the tool. */
  readonly server: string | null
  /** A file, or the name of a skill. */
  readonly name: string | null
}

/** A block with its place in its request. */
export interface PlacedBlock {
  readonly list: 'tools' | 'system' | 'messages'
  readonly role: string
  readonly block: ShapeBlock
  /** The block before it in the request; null for the first. */
  readonly before: ShapeBlock | null
}

/** Lists the blocks of a request from a position on, in the order in which the API reads them. */
export function blocksFrom({ tools, system, messages }: RequestBlocks, from: number): readonly PlacedBlock[] {
  const found: PlacedBlock[] = []
  let at = 0
  let before: ShapeBlock | null = null
  const take = (list: PlacedBlock['list'], role: string, blocks: readonly ShapeBlock[]) => {
    const skipped = Math.max(0, from - at)
    at += blocks.length
    if (skipped > 0) before = blocks[Math.min(skipped, blocks.length) - 1] ?? before
    for (const block of blocks.slice(skipped)) {
      found.push({ list, role, block, before })
      before = block
    }
  }
  take('tools', '', tools)
  take('system', '', system)
  for (const { role, blocks } of messages) take('messages', role, blocks)
  return found
}

export const blockCount = ({ tools, system, messages }: RequestBlocks): number =>
  messages.reduce((sum, { blocks }) => sum + blocks.length, tools.length + system.length)

/** Classifies new blocks. A result takes the tool and the file of its call, which precedes it in the request. */
export class CarriedThings {
  readonly #request: RequestBlocks
  readonly #readsFiles: ReadonlySet<string>

  /** `readsFiles`: tools whose result is the text of a file. */
  constructor(request: RequestBlocks, readsFiles: ReadonlySet<string>) {
    this.#request = request
    this.#readsFiles = readsFiles
  }

  of({ list, role, block, before }: PlacedBlock): CarriedThing {
    if (list === 'tools') return thing('tool_schema', block.tool ?? block.kind)
    if (list === 'system') return thing('system_prompt')
    const { kind, tool = null, name = null } = block
    if (block.origin === 'file_read') {
      // A file that the client attaches is a call, which names it, and its result: two blocks in a row.
      const attached = before?.origin === 'file_read' ? (before.name ?? null) : null
      return thing('file_read', 'Read', name ?? attached)
    }
    if (block.origin !== undefined) return thing(block.origin, null, name)
    if (makesCall(kind)) return thing('tool_call', tool, name)
    if (kind.endsWith('tool_result') || kind.endsWith('_output')) return this.#result(block)
    if (TEXT_KINDS.has(kind)) return thing(TEXTS[role] ?? 'reminder')
    if (kind.endsWith('thinking')) return thing('thinking')
    return thing(kind === 'image' || kind === 'document' ? kind : 'other')
  }

  #result({ call }: ShapeBlock): CarriedThing {
    const { tool = null, name = null } = (call === undefined ? undefined : callOf(this.#request.messages, call)) ?? {}
    const isFile = tool !== null && name !== null && this.#readsFiles.has(tool)
    return thing(isFile ? 'file_read' : 'tool_result', tool, name)
  }
}

/** Calls of both APIs. */
const makesCall = (kind: string): boolean => kind.endsWith('tool_use') || kind.endsWith('_call')

const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'string', 'input_text', 'output_text'])
/** A client may send what its system prompt has left out, such as environment and agents, as a message of that role. */
const TEXTS: Readonly<Record<string, string>> = { user: 'prompt', assistant: 'answer', system: 'system_prompt' }

/** Finds a call from the end, since a new result follows its call closely. */
function callOf(messages: readonly ShapeMessage[], call: string): ShapeBlock | undefined {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const found = messages[at]?.blocks.findLast((block) => block.call === call && makesCall(block.kind))
    if (found !== undefined) return found
  }
  return undefined
}

function thing(kind: string, tool: string | null = null, name: string | null = null): CarriedThing {
  return { kind, tool, server: tool === null ? null : serverOf(tool), name }
}

/** The server in `mcp__<server>__<tool>`; null for other tools. */
export function serverOf(tool: string): string | null {
  return /^mcp__(.+?)__/.exec(tool)?.[1] ?? null
}

/** Bytes per token of JSON other than text. */
const BYTES_A_TOKEN = 4

/** The estimated tokens of a block; at least 1. */
export const weightOf = ({ tokens, bytes }: ShapeBlock): number =>
  Math.max(1, tokens ?? Math.ceil((bytes ?? BYTES_A_TOKEN) / BYTES_A_TOKEN))

export const totalOf = (blocks: readonly ShapeBlock[]): number =>
  blocks.reduce((sum, block) => sum + weightOf(block), 0)
