import type { Json, JsonObject, MediaReference } from '../../../../../shared/event.ts'
import { PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import type { EventDraft } from '../../../draft.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { mediaReference, type HashText } from '../../../media.ts'
import { asBlocks, partTexts } from '../../../wire/openai-responses/items.ts'
import { codexKey } from '../identity.ts'
import { userInput } from '../prompts.ts'
import { contentKindsOf } from './rollout-line.ts'

/** A user's message, as a line reports it. */
export interface SaidByUser {
  readonly text: string
  readonly media: readonly MediaReference[]
  readonly itemId: string | null
}

/**
 * Returns the user's own part of a message item; null if all of it is the client's. `isSure` is false in older files.
 */
export function saidInItem(
  item: JsonObject,
  hash: HashText,
): { readonly said: SaidByUser; readonly isSure: boolean } | null {
  const input = item['role'] === 'user' ? userInput(item) : null
  if (input === null) return null
  const said = { text: input.text, media: mediaOf(input.media, hash), itemId: filledString(item['id']) }
  return { said, isSure: contentKindsOf(item) !== null }
}

/** Returns the user's text in an event: `user_message`, or the item `UserMessage`. */
export function saidInEvent(event: JsonObject, hash: HashText): SaidByUser {
  const content = listOf(event['content'])
  const text = stringOf(event['message']) ?? partTexts(content).join('\n')
  const images = [...listOf(event['images']), ...content.filter((part) => objectOf(part)['type'] === 'image')]
  const parts = images.map((image): Json => ({
    type: 'input_image',
    image_url: isObject(image) ? (image['image_url'] ?? image['url'] ?? '') : image,
  }))
  return { text, media: mediaOf(parts, hash), itemId: null }
}

const mediaOf = (parts: readonly Json[], hash: HashText): readonly MediaReference[] =>
  listOf(asBlocks(parts)).flatMap((block) => mediaReference(block, hash) ?? [])

/** `within_ms` null: a copy, which was made at another time. */
export function promptDraft(
  base: DraftBase,
  said: SaidByUser,
  of: {
    readonly turnId: string | null
    readonly branch: string | null
    readonly lineKey: string | null
    readonly isCopy: boolean
  },
): EventDraft<'user_prompt'> {
  const { text, media, itemId } = said
  const facts = { prompt_id: of.turnId, ...(of.branch === null ? {} : { git_branch: of.branch }) }
  const itemKeys = codexKey.items(itemId)
  return {
    ...base,
    kind: 'user_prompt',
    payload: { text, ...facts, ...(media.length > 0 ? { media } : {}) },
    keys: itemKeys.length === 0 && of.lineKey !== null ? [of.lineKey] : itemKeys,
    text_identity: { text, within_ms: of.isCopy ? null : PROMPT_WINDOW_MS },
    parents: [],
    sighting: facts,
  }
}
