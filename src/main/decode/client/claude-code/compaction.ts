import { createHash } from 'node:crypto'
import { listOf, isObject, stringOf } from '../../json-access.ts'
import type { Json } from '../../../../shared/event.ts'

/** The texts with which Claude Code asks for a summary (2.1.330; the second and third from older versions). */
const REQUESTS = [
  /^CRITICAL: Respond with TEXT ONLY\. Do NOT call any tools\./,
  /^Your task is to create a detailed summary of the conversation so far/,
  /^Your task is to create a detailed summary of the RECENT portion/,
]
const SUMMARY = /<summary>([\s\S]*?)(?:<\/summary>|$)/
const ANALYSIS = /<analysis>([\s\S]*?)<\/analysis>/
const CONTINUED = /^This session is being continued from a previous conversation/
const AFTER_SUMMARY =
  /\n\n(?:If you need specific details from before compaction|Please continue the conversation from where we left|Continue the conversation from where it left off|Recent messages are preserved verbatim)/

/**
 * The key of a compaction: its summary in its session. The wire shows the summary again with the next request, which may
 * come an hour later; no two summaries of a session are alike, and nothing outside names a compaction.
 */
export function compactionKey(sessionId: string, summary: string): string {
  const digest = createHash('sha256').update(summary).digest('hex').slice(0, 32)
  return `compaction:${sessionId}:${digest}`
}

/** The key that the compaction of such a key has in another session: a fork's copy of it tells of the same one. */
export function compactionKeyIn(sessionId: string, key: string): string {
  return `compaction:${sessionId}:${key.slice(key.lastIndexOf(':') + 1)}`
}

/** Whether a message's content is the client's request for a summary. */
export function isCompactionRequest(content: Json | undefined): boolean {
  const texts =
    typeof content === 'string'
      ? [content]
      : listOf(content).map((block) => (isObject(block) ? stringOf(block['text']) : null))
  const last = texts.findLast((text) => text !== null && text.trim() !== '')
  return last !== undefined && last !== null && REQUESTS.some((pattern) => pattern.test(last.trim()))
}

/**
 * The summary itself, from any of its forms: the model's answer (`<analysis>…<summary>…`), the hook's copy of it, or the
 * message that begins the shortened conversation. All three give the same text.
 */
export function compactionSummary(text: string): string {
  const own = text.trim()
  const tagged = SUMMARY.exec(own)
  if (tagged) return (tagged[1] ?? '').trim()
  if (!CONTINUED.test(own)) return own
  const start = /(?:^|\n)Summary:\n/.exec(own)
  const rest = start ? own.slice(start.index + start[0].length) : own.slice(own.indexOf('\n') + 1)
  const end = AFTER_SUMMARY.exec(rest)
  return (end ? rest.slice(0, end.index) : rest).replace(ANALYSIS, '').trim()
}

/** What the model thought before it summed up; null where it said nothing. */
export function compactionAnalysis(text: string): string | null {
  return ANALYSIS.exec(text)?.[1]?.trim() ?? null
}

export function isContinuation(text: string): boolean {
  return CONTINUED.test(text.trim())
}
