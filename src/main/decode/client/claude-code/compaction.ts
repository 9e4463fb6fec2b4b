import { listOf, isObject, stringOf } from '../../../../shared/json-fields.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { textsOf } from '../message-texts.ts'

/** The texts with which Claude Code requests a summary (2.1.330; the second and third are from older versions). */
const REQUESTS = [
  /^CRITICAL: Respond with TEXT ONLY\. Do NOT call any tools\./,
  /^Your task is to create a detailed summary of the conversation so far/,
  /^Your task is to create a detailed summary of the RECENT portion/,
]
const SUMMARY = /<summary>([\s\S]*?)(?:<\/summary>|$)/
const ANALYSIS = /<analysis>([\s\S]*?)<\/analysis>/
/** What the client puts before a summary that it could not find in its tags (2.1.332). */
const TOOLS_BEFORE = /^\s*<system-reminder>\s*<tools-used-before-summary>[\s\S]*?<\/system-reminder>/
const COMMAND = /^\s*<command-name>\/?compact<\/command-name>/
const COMPACTED = /^\s*<local-command-stdout>Compacted\b/
const CONTINUED = /^This session is being continued from a previous conversation/
const AFTER_SUMMARY =
  /\n\n(?:If you need specific details from before compaction|Please continue the conversation from where we left|Continue the conversation from where it left off|Recent messages are preserved verbatim)/

/** True if a message's content is the client's request for a summary. */
export function isCompactionRequest(content: Json | undefined): boolean {
  const texts =
    typeof content === 'string'
      ? [content]
      : listOf(content).map((block) => (isObject(block) ? stringOf(block['text']) : null))
  const last = texts.findLast((text) => text !== null && text.trim() !== '')
  return last !== undefined && last !== null && REQUESTS.some((pattern) => pattern.test(last.trim()))
}

/**
 * Extracts the summary from any of its forms: the model's answer (`<analysis>…<summary>…`), the hook's copy of it, or
 * the message that begins the shortened conversation. All three give the same text.
 */
export function compactionSummary(text: string): string {
  const own = text.replace(TOOLS_BEFORE, '').trim()
  const tagged = SUMMARY.exec(own)
  if (tagged) return (tagged[1] ?? '').trim()
  if (!CONTINUED.test(own)) return own.replace(ANALYSIS, '').trim()
  const start = /(?:^|\n)Summary:\n/.exec(own)
  const rest = start ? own.slice(start.index + start[0].length) : own.slice(own.indexOf('\n') + 1)
  const end = AFTER_SUMMARY.exec(rest)
  return (end ? rest.slice(0, end.index) : rest).replace(TOOLS_BEFORE, '').replace(ANALYSIS, '').trim()
}

/** Returns the model's analysis before the summary; null if there is none. */
export const compactionAnalysis = (text: string): string | null => ANALYSIS.exec(text)?.[1]?.trim() ?? null

/**
 * Returns what began a compaction, by the conversation that its summary begins: `/compact` follows the summary, before
 * the first answer, or behind the answers that the client keeps word for word, with its output; nothing follows one that
 * the client began itself (2.1.332).
 */
export function compactionTrigger(messages: readonly JsonObject[]): 'manual' | 'auto' {
  const isAnswer = ({ role }: JsonObject) => role === 'assistant'
  const textsIn = (some: readonly JsonObject[]) => some.flatMap(({ content }) => textsOf(content))
  const first = messages.findIndex(isAnswer)
  const [before, behind] = [
    textsIn(messages.slice(0, first < 0 ? undefined : first)),
    textsIn(messages.slice(messages.findLastIndex(isAnswer) + 1)),
  ]
  const isAsked = (texts: readonly string[]) => texts.some((text) => COMMAND.test(text))
  const isDone = behind.some((text) => COMPACTED.test(text))
  return isAsked(before) || (isDone && isAsked(behind)) ? 'manual' : 'auto'
}

export const isContinuation = (text: string): boolean => CONTINUED.test(text.trim())
