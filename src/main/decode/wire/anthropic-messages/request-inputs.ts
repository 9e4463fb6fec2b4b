import { textsOf } from '../../client/message-texts.ts'
import { queuedInReminders, queuedTexts, userInputs, type UserInput } from '../../client/claude-code/prompt-text.ts'
import { isCompactionRequest } from '../../client/claude-code/compaction.ts'
import { filledString, isObject, listOf } from '../../../../shared/json-fields.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'

/** True for the block with a call's result. */
export const isToolResult = (block: Json): block is JsonObject =>
  isObject(block) && block['type'] === 'tool_result' && filledString(block['tool_use_id']) !== null

/** True for a message with the result of a call. */
export const hasResult = (message: JsonObject): boolean => listOf(message['content']).some(isToolResult)

/** Returns what the user wrote in a message; `all`: nothing of it was seen before. */
export function inputsOf(message: JsonObject, all: boolean): readonly UserInput[] {
  if (message['role'] === 'user') return [...queuedInResults(message), ...userInputs(message['content'], all)]
  return textsOf(message['content'])
    .flatMap((text) => queuedTexts(text) ?? [])
    .map((text) => ({ text, media: [], seen: 'late' }))
}

/** Older models get messages typed while they worked in a reminder at the end of a tool result. */
const queuedInResults = (message: JsonObject): readonly UserInput[] =>
  listOf(message['content'])
    .filter(isToolResult)
    .flatMap((block) => textsOf(block['content']).flatMap(queuedInReminders))
    .map((text) => ({ text, media: [], seen: 'late' }))

/** Returns the number of inputs in the messages from `from` on. */
export function countInputs(
  messages: readonly JsonObject[],
  from: number,
  inputsAt: (at: number) => readonly UserInput[],
): number {
  return messages.reduce(
    (sum, message, at) =>
      at < from || message['role'] === 'assistant' || isCompactionRequest(message['content'])
        ? sum
        : sum + inputsAt(at).length,
    0,
  )
}
