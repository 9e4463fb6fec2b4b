import type { Json, JsonObject } from '../../shared/event.ts'
import { compactionSummary } from './client/claude-code/compaction.ts'
import { compactionKey } from './compaction-key.ts'
import type { DraftBase } from './draft-base.ts'
import { naturalKey, type AnyDraft } from './draft.ts'
import { parseJson } from './json-access.ts'
import { filledString, isObject, listOf, stringOf } from '../../shared/json-fields.ts'
import type { HashText } from './media.ts'
import { toolResultDraft } from './tool-result.ts'

/** The position of a block in an assistant's message. */
export interface BlockPlace {
  readonly messageId: string | null
  readonly index: number
  /** Keys in addition to the block's own. */
  readonly keys: readonly string[]
  readonly parents: readonly string[]
  /** Taken from the history that a request carried. */
  readonly seenInHistory?: boolean
  /** The source's own uuid for the block. */
  readonly uuid?: string
  /** The tool of an earlier call, for the results of tools that the API runs. */
  readonly toolNameOf?: (callId: string) => string | null
}

/**
 * Decodes a content block of an assistant's message, with equal results from response, history and transcript. An
 * unknown block becomes `unknown` with its raw JSON; an empty text block yields nothing.
 */
export function blockDrafts(base: DraftBase, block: Json, place: BlockPlace, hash: HashText): readonly AnyDraft[] {
  const { messageId, index } = place
  const name = messageId ?? base.answer?.own ?? null
  const history = place.seenInHistory ? { seen_in_history: true as const } : {}
  const common = {
    ...base,
    ...(place.uuid === undefined ? {} : { uuid: place.uuid }),
    keys: [...(name === null ? [] : [naturalKey.block(name, index)]), ...place.keys],
    parents: place.parents,
  }
  const byText = (text: string) => (messageId === null ? { text_identity: { text, within_ms: null } } : {})
  if (!isObject(block)) return [{ ...common, kind: 'unknown', payload: { what: 'block', raw: block } }]
  const type = stringOf(block['type']) ?? ''
  switch (type) {
    case 'thinking': {
      const text = stringOf(block['thinking']) ?? ''
      if (text === '' && place.seenInHistory) return []
      return [
        {
          ...common,
          ...byText(text),
          kind: 'thinking',
          payload: { text, signature_only: text === '', message_id: messageId, index, ...history },
        },
      ]
    }
    case 'redacted_thinking':
      if (place.seenInHistory) return []
      return [
        {
          ...common,
          kind: 'thinking',
          payload: { text: '', signature_only: false, withheld: true, message_id: messageId, index, ...history },
        },
      ]
    case 'text': {
      const text = stringOf(block['text']) ?? ''
      if (text.trim() === '') return []
      const citations = listOf(block['citations'])
      return [
        {
          ...common,
          ...byText(text),
          kind: 'assistant_text',
          payload: { text, message_id: messageId, index, ...(citations.length > 0 ? { citations } : {}), ...history },
        },
      ]
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const callId = filledString(block['id'])
      if (callId === null) break
      return [
        {
          ...common,
          keys: [naturalKey.call(callId), ...common.keys],
          kind: 'tool_call',
          payload: {
            call_id: callId,
            tool_name: stringOf(block['name']) ?? 'unknown',
            input: toolInput(block['input']),
            message_id: messageId,
            index,
            ...(type === 'tool_use' ? {} : { server_side: true as const }),
            ...history,
          },
          sighting: { message_id: messageId, index },
        },
      ]
    }
    case 'compaction': {
      const summary = compactionSummary(stringOf(block['content']) ?? '')
      return [
        {
          ...common,
          keys: [...common.keys, compactionKey(base.session_id, summary)],
          kind: 'compaction',
          payload: { trigger: 'auto', summary, tokens_before: null, tokens_after: null },
        },
      ]
    }
    case 'container_upload':
      return [{ ...common, kind: 'state_change', payload: { name: type, to: block['file_id'] ?? null, ...history } }]
    case 'fallback':
      return [
        {
          ...common,
          kind: 'state_change',
          payload: { name: 'model_fallback', from: modelOf(block['from']), to: modelOf(block['to']) },
        },
      ]
    default:
      if (type.endsWith('_tool_result')) return serverResult(base, block, place, common, hash)
  }
  return [{ ...common, kind: 'unknown', payload: { what: `block:${type || 'none'}`, raw: block } }]
}

/** A tool input: older clients wrote it as a JSON string; invalid JSON stays unchanged. */
function toolInput(input: Json | undefined): Json {
  if (typeof input !== 'string') return input ?? {}
  return parseJson(input) ?? input
}

/** Decodes the result of a tool that the API ran (web search, hosted MCP, code execution …). */
function serverResult(
  base: DraftBase,
  block: JsonObject,
  place: BlockPlace,
  common: { readonly keys: readonly string[] },
  hash: HashText,
): readonly AnyDraft[] {
  const callId = filledString(block['tool_use_id'])
  if (callId === null) {
    return [
      {
        ...base,
        ...common,
        parents: place.parents,
        kind: 'unknown',
        payload: { what: `block:${String(block['type'])}`, raw: block },
      },
    ]
  }
  const { content } = block
  const contentType = isObject(content) ? stringOf(content['type']) : null
  return [
    toolResultDraft(
      base,
      {
        callId,
        toolName: place.toolNameOf?.(callId) ?? serverToolName(block),
        content,
        isError: block['is_error'] === true || contentType?.endsWith('_error') === true,
        serverSide: true,
        seenInHistory: place.seenInHistory === true,
      },
      hash,
      { keys: common.keys, ...(place.uuid === undefined ? {} : { uuid: place.uuid }) },
    ),
  ]
}

/** `web_search_tool_result` answers `web_search`; an MCP result does not name its tool. */
function serverToolName(block: JsonObject): string | null {
  const type = stringOf(block['type']) ?? ''
  return type === 'mcp_tool_result' ? null : type.replace(/_tool_result$/, '')
}

const modelOf = (value: Json | undefined): Json => (isObject(value) ? (value['model'] ?? value) : (value ?? null))
