import { open } from 'node:fs/promises'
import { PROMPT_WINDOW_MS } from '../../decode/draft-base.ts'
import { isJson } from '../../decode/json-access.ts'
import { wholeRecords } from '../../decode/whole-records.ts'
import type { JsonObject } from '../../../shared/event.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { PromptHistory } from '../client-folders.ts'
import { identityOf, isContinued, isUnchanged } from './file-identity.ts'
import { readLines } from './read-lines.ts'
import { type ReadOptions } from './transcript-reader.ts'
import { isFileError } from './file-error.ts'

export interface PromptHistoryOptions extends ReadOptions {
  readonly known: KnownTranscripts
  readonly redactor: Redactor
}

/**
 * Imports the client's own list of prompts, for prompts whose transcripts no longer exist. Runs after the transcripts,
 * so that a prompt in one of them is recognized by its text and time. A list that cannot be read counts as a bad line.
 */
export async function importPromptHistory(history: PromptHistory, options: PromptHistoryOptions): Promise<void> {
  try {
    await readHistory(history, options)
  } catch (error) {
    if (!isFileError(error)) throw error
    options.onRead({ bytes: 0, lines: 0, bad: 1 })
  }
}

const isEntry = (object: JsonObject): boolean => object['timestamp'] !== undefined

async function readHistory({ path, draft: draftOf }: PromptHistory, options: PromptHistoryOptions): Promise<void> {
  const { batcher, known, redactor, isCancelled, onRead } = options
  const { hash } = redactor
  const file = await open(path, 'r')
  try {
    const state = await file.stat()
    const before = known.find(path)
    if (isUnchanged(state, before)) return
    let offset = before && (await isContinued(file, state, before, hash)) ? before.offset : 0
    const checkpoint = async (size: number) => {
      const identity = await identityOf(file, state, offset, hash)
      return { path, identity, offset, size, mtime_ms: state.mtimeMs }
    }
    for await (const { lines, offset: read } of readLines(file, { from: offset })) {
      let bad = 0
      for (const { text, end } of lines) {
        if (isCancelled()) return
        const isWhole = text !== null && isJson(text)
        const entries = isWhole ? [text] : wholeRecords(text ?? '', isEntry).records
        if (!isWhole) bad += 1
        for (const draft of entries.flatMap((entry) => draftOf(entry, hash) ?? [])) {
          const isKnown = known.hasPrompt(redactor.text(draft.payload.text), draft.ts_wall, PROMPT_WINDOW_MS)
          if (!isKnown) batcher.take([draft], draft.payload.text.length)
        }
        offset = end
        if (!batcher.isFull()) continue
        batcher.note(await checkpoint(offset))
        await batcher.send()
      }
      onRead({ bytes: 0, lines: lines.length, bad })
      if (read < state.size) continue
      batcher.note(await checkpoint(read))
    }
  } finally {
    await file.close()
  }
}
