import type { Json, JsonObject } from '../../../../shared/event.ts'
import { filledString, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { partTexts } from '../../wire/openai-responses/items.ts'

/** The user's own input, as parts of a message. */
export interface UserInput {
  /** The text, verbatim. */
  readonly text: string
  /** Parts with images or files. */
  readonly media: readonly JsonObject[]
}

/** Codex marks the author of each part in a field that it adds to the items of a request (0.150 and later). */
const PASSTHROUGH = 'internal_chat_message_metadata_passthrough'

/** Beginnings of user messages that earlier versions wrote themselves. */
const OWN_TEXTS = [
  /^<environment_context>/,
  /^<user_instructions>/,
  /^# AGENTS\.md instructions/,
  /^<(?:skill|skills_instructions|INSTRUCTIONS|permissions instructions|collaboration_mode|multi_agent_\w+)>/,
  /^<turn_aborted>/,
  /^<subagent_notification>/,
  /^<user_(?:shell_command|action)>/,
  /^Another language model started to solve this problem/,
]

/** Marks that the client writes around an attached image. */
const IMAGE_MARK = /^<\/?image\b[^>]*>$/

/**
 * Returns the user's own text in a message of the role `user`; null if the client wrote all of it. Without Codex's own
 * marks, known beginnings decide.
 */
export function userInput(item: JsonObject): UserInput | null {
  const { content } = item
  const kinds = listOf(objectOf(item[PASSTHROUGH])['content_item_kinds']).map(stringOf)
  if (typeof content === 'string') return isOwnText(content) ? null : inputOf([{ type: 'input_text', text: content }])
  const parts = listOf(content).map(objectOf)
  const isMarked = kinds.length === parts.length && kinds.every((kind) => kind !== null && kind !== 'unknown')
  return inputOf(parts.filter((part, at) => (isMarked ? kinds[at]?.startsWith('user.') : !isOwnPart(part))))
}

function inputOf(parts: readonly JsonObject[]): UserInput | null {
  const texts = partTexts(parts).filter((text) => !IMAGE_MARK.test(text.trim()))
  const media = parts.filter((part) => part['type'] === 'input_image' || part['type'] === 'input_file')
  const text = texts.join('\n')
  return text.trim() === '' && media.length === 0 ? null : { text, media }
}

function isOwnPart(part: JsonObject): boolean {
  const text = stringOf(part['text'])
  return text !== null && isOwnText(text)
}

const isOwnText = (text: string): boolean => OWN_TEXTS.some((pattern) => pattern.test(text.trimStart()))

/** Each request repeats a history that may have thousands of items, so only both ends are read. */
const ITEMS_LOOKED_AT = 20

/** Returns the working directory from the newest environment message that a request shows; null if it shows none. */
export function workingDirectory(input: readonly Json[]): string | null {
  const ends =
    input.length <= 2 * ITEMS_LOOKED_AT ? input : [...input.slice(0, ITEMS_LOOKED_AT), ...input.slice(-ITEMS_LOOKED_AT)]
  for (const item of ends.toReversed()) {
    const { role, content } = objectOf(item)
    if (role !== 'user') continue
    for (const text of partTexts(content)) {
      if (!text.trimStart().startsWith('<environment_context>')) continue
      const found = filledString(/<cwd>([^<\n]+)<\/cwd>/.exec(text)?.[1])
      if (found !== null) return found
    }
  }
  return null
}
