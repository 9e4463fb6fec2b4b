import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { parseJson } from '../../decode/json-access.ts'
import type { AnyDraft, EventDraft } from '../../decode/draft.ts'
import { outputText } from '../../decode/tool-result.ts'
import { SPILLED_MARK } from '../../store/identity/settled.ts'
import { isFileError } from './file-error.ts'

/** A longer result stays with the preview in its line. */
const MAX_SPILLED_BYTES = 64 * 1024 * 1024
/** The reference to the file in a line (2.1.330): `Full output saved to: /…/<session>/tool-results/<id>.txt`. */
const SAVED_AS = /^[^\n]*\n?[^\n]*[\\/]tool-results[\\/]([\w.-]{1,200}?)\s*$/m

/**
 * Tool results that were too long for their line, taken from files next to the transcript: their text replaces the
 * preview. If the file is missing, the preview stays.
 */
export function createSpilledResults(transcript: string): (drafts: readonly AnyDraft[]) => readonly AnyDraft[] {
  const folder = folderOf(transcript)
  const whole = (draft: AnyDraft): AnyDraft => {
    if (draft.kind !== 'tool_result') return draft
    const { output, call_id: callId } = draft.payload
    if (typeof output !== 'string' || !output.startsWith(SPILLED_MARK)) return draft
    // Only the file's name counts: folders named by a line are not trusted.
    const named = SAVED_AS.exec(output.slice(0, 2000))?.[1]
    const text = readSpilled(folder, named ?? `${callId}.txt`)
    return text === null ? draft : withOutput(draft, text)
  }
  return (drafts) => (drafts.some(({ kind }) => kind === 'tool_result') ? drafts.map(whole) : drafts)
}

function withOutput(draft: EventDraft<'tool_result'>, output: string): EventDraft<'tool_result'> {
  return {
    ...draft,
    payload: { ...draft.payload, output },
    ...(draft.sighting === undefined ? {} : { sighting: { ...draft.sighting, output } }),
  }
}

/** null if it is missing, not a file, or too long. */
function readSpilled(folder: string, name: string): string | null {
  if (!/^[\w-][\w.-]*$/.test(name)) return null
  try {
    // Links are not followed: they may lead anywhere.
    const file = openSync(join(folder, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const state = fstatSync(file)
      if (!state.isFile() || state.size > MAX_SPILLED_BYTES) return null
      const text = readFileSync(file, 'utf8')
      // Results of several blocks are kept as JSON.
      const blocks = name.endsWith('.json') ? parseJson(text) : undefined
      return Array.isArray(blocks) ? outputText(blocks) : text
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isFileError(error)) return null
    throw error
  }
}

/** Returns `<session>/tool-results`, next to `<session>.jsonl`; agents' results are with their session's. */
function folderOf(transcript: string): string {
  const agents = transcript.lastIndexOf(`${sep}subagents${sep}`)
  const session =
    agents >= 0 ? transcript.slice(0, agents) : join(dirname(transcript), basename(transcript).replace(/\.jsonl$/, ''))
  return join(session, 'tool-results')
}
