import { PROMPT_WINDOW_MS } from '../../../draft-base.ts'
import type { EventDraft } from '../../../draft.ts'
import { parseJson } from '../../../json-access.ts'
import { filledString, isObject, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { promptText } from '../prompt-text.ts'

/** Commands that say nothing to the model: bare ones, and the client's own that only set or show something (2.1.332). */
const TO_THE_CLIENT =
  /^\/(?:[\w:-]+$|(?:add-dir|advisor|autocompact|branch|cd|clear|color|config|settings|context|copy|effort|export|fast|focus|help|ide|import|mcp|model|output-style|plugin|rename|name|resume|rewind|theme|tui|usage|voice)\s)/

/**
 * Decodes a line of `history.jsonl`, the client's list of all prompts (`display`, `pastedContents`, `timestamp` in ms,
 * `project`, in newer versions `sessionId`), which outlives their transcripts. Returns null if it is not the user's or
 * has no time. Older lines name no session: prompts of one project and day share a made-up one.
 */
export function promptHistoryDraft(line: string, hash: (text: string) => string): EventDraft<'user_prompt'> | null {
  const entry = parseJson(line)
  if (!isObject(entry)) return null
  const at = numberOf(entry['timestamp'])
  const text = promptText(withPastes(stringOf(entry['display']) ?? '', entry['pastedContents']))
  if (text === '' || TO_THE_CLIENT.test(text.trimEnd()) || at === null || !isTime(at)) return null
  const time = new Date(at).toISOString()
  const project = filledString(entry['project'])
  const session = filledString(entry['sessionId']) ?? `history-${hash(`${project ?? ''}\0${time.slice(0, 10)}`)}`
  return {
    source: 'transcript',
    session_id: session,
    agent_id: null,
    ts_wall: time,
    ts_monotonic: null,
    project,
    kind: 'user_prompt',
    // No transcript has it: only this list and the wire.
    payload: { text, prompt_id: null, ...(/^\/btw\s/.test(text) ? { entered_as: 'side_question' } : {}) },
    keys: [`prompt-history:${session}:${at}:${hash(text)}`],
    text_identity: { text, within_ms: PROMPT_WINDOW_MS },
    parents: [],
  }
}

/** The list shows `[Pasted text #1 +20 lines]` where a long text was pasted. */
const withPastes = (display: string, pasted: unknown): string =>
  display.replaceAll(/\[Pasted text #(\d+)[^\]]*\]/g, (mark, id: string) => {
    const content = stringOf(objectOf(objectOf(pasted)[id])['content'])
    return content ?? mark
  })

const isTime = (at: number) => at > 0 && at < 8.64e15
