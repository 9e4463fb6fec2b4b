import type { Json, JsonObject } from '../../../../shared/event.ts'
import { uniqueId } from '../../unique-id.ts'
import { blockParents, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import { toolResultDraft } from '../../tool-result.ts'
import { asBlocks, callOf, isCompaction, partTexts, serverOutput, typeOf } from './items.ts'
import { itemKeys, responseCompactionKey } from './keys.ts'

/** The position of an item in an answer, or in the history that a request carries. */
export interface ItemPlace {
  /** Null in a history. */
  readonly responseId: string | null
  /** Position in the output. */
  readonly index: number
  /** Keys in addition to the item's own. */
  readonly keys: readonly string[]
  /** Keys of the items that the answer follows, best first. */
  readonly parents: readonly string[]
  readonly seenInHistory: boolean
}

/**
 * Decodes an item of the model: a message, reasoning, a call, a compaction. An unknown one becomes `unknown` with its
 * raw JSON; an empty text yields nothing.
 */
export function itemDrafts(base: DraftBase, item: Json, place: ItemPlace, hash: HashText): readonly AnyDraft[] {
  const { responseId, index } = place
  if (!isObject(item))
    return [{ ...base, kind: 'unknown', payload: { what: 'item', raw: item }, keys: [], parents: [] }]
  const id = filledString(item['id'])
  const block = responseId === null ? null : uniqueId(responseId, base.session_id)
  const history = place.seenInHistory ? { seen_in_history: true as const } : {}
  const common = {
    ...base,
    keys: [...(block === null ? [] : [naturalKey.block(block, index)]), ...itemKeys(id), ...place.keys],
    parents: blockParents(block, index, place.parents),
  }
  const byText = (text: string) =>
    responseId === null && itemKeys(id).length === 0 ? { text_identity: { text, within_ms: null } } : {}
  const where = { message_id: responseId, index, ...history }
  const type = typeOf(item)
  if (type === 'reasoning') {
    const text = reasoningText(item)
    if (text === '' && place.seenInHistory) return []
    const isHidden = text === '' && filledString(item['encrypted_content']) !== null
    return [
      {
        ...common,
        ...byText(text),
        kind: 'thinking',
        payload: { text, signature_only: text === '' && !isHidden, ...(isHidden ? { withheld: true } : {}), ...where },
      },
    ]
  }
  if (type === 'message') {
    const text = partTexts(item['content']).join('')
    if (text.trim() === '') return []
    const citations = listOf(item['content']).flatMap((part) => listOf(objectOf(part)['annotations']))
    return [
      {
        ...common,
        ...byText(text),
        kind: 'assistant_text',
        payload: { text, ...where, ...(citations.length > 0 ? { citations } : {}) },
      },
    ]
  }
  if (isCompaction(item)) return [compactionDraft(common, item, responseId)]
  const call = callOf(item)
  if (call === null) return [{ ...common, kind: 'unknown', payload: { what: `item:${type}`, raw: item } }]
  const callId = uniqueId(call.callId, base.session_id)
  return [
    {
      ...common,
      keys: [naturalKey.call(callId), ...common.keys],
      kind: 'tool_call',
      payload: {
        call_id: call.callId,
        tool_name: call.tool,
        input: call.input,
        message_id: responseId,
        index,
        ...(call.isServerSide ? { server_side: true as const } : {}),
        ...history,
      },
      sighting: { message_id: responseId, index },
    },
    ...(call.isServerSide ? serverResult(base, item, call, place, hash) : []),
  ]
}

/** Returns summaries, or the reasoning itself from a model that shows it. */
function reasoningText(item: JsonObject): string {
  const shown = partTexts(item['content'])
  const parts = shown.length > 0 ? shown : partTexts(item['summary'])
  return parts.filter((part) => part !== '').join('\n\n')
}

/** A compaction's text is encrypted for the API: only the conversation before it can show what it dropped. */
function compactionDraft(
  common: DraftBase & Pick<AnyDraft, 'keys' | 'parents'>,
  item: JsonObject,
  responseId: string | null,
): AnyDraft {
  const summary = partTexts(item['summary']).join('\n\n')
  const isHidden = summary === '' && filledString(item['encrypted_content']) !== null
  return {
    ...common,
    keys: [...common.keys, ...(responseId === null ? [] : [responseCompactionKey(common.session_id, responseId)])],
    kind: 'compaction',
    payload: {
      trigger: 'unknown',
      summary,
      tokens_before: null,
      tokens_after: null,
      ...(isHidden ? { withheld: true } : {}),
    },
  }
}

function serverResult(
  base: DraftBase,
  item: JsonObject,
  call: { readonly callId: string; readonly tool: string },
  place: ItemPlace,
  hash: HashText,
): readonly AnyDraft[] {
  const status = stringOf(item['status'])
  // The call was cut off: it has no result yet.
  if (status === 'in_progress' || status === 'searching') return []
  const id = uniqueId(call.callId, base.session_id)
  const content = typeOf(item) === 'image_generation_call' ? madeImage(item) : asBlocks(serverOutput(item))
  const draft = toolResultDraft(
    base,
    {
      callId: call.callId,
      toolName: call.tool,
      content,
      isError: status === 'failed' || (item['error'] !== undefined && item['error'] !== null),
      serverSide: true,
      seenInHistory: place.seenInHistory,
    },
    hash,
    { parents: [naturalKey.call(id)] },
  )
  return [{ ...draft, keys: [naturalKey.result(id)] }]
}

function madeImage(item: JsonObject): Json {
  const data = stringOf(item['result'])
  if (data === null) return ''
  const source = { type: 'base64', media_type: `image/${stringOf(item['output_format']) ?? 'png'}`, data }
  return [{ type: 'image', source }]
}
