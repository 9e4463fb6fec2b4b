import type { JsonObject } from '../../../shared/event.ts'
import { isObject } from '../../../shared/json-fields.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { createHash } from 'node:crypto'
import type { DraftBase } from '../draft-base.ts'
import type { AnyDraft } from '../draft.ts'
import { bareLine, parseWellFormed } from '../json-access.ts'
import type { TranscriptContext, TranscriptDecoder } from '../transcript-decoder.ts'
import { wholeRecords } from '../whole-records.ts'

/** Length of a line that is kept if it is not understood. */
const MAX_RAW_CHARACTERS = 64 * 1024

/** What a client's reader of lines provides. */
export interface LineReader {
  /** Returns the drafts of a line; null if its type is unknown. */
  take(line: JsonObject): readonly AnyDraft[] | null
  /** Makes its drafts, and those of lines that are not understood. */
  readonly drafts: { base(): DraftBase }
  /** Returns the drafts held back at the current end of the file. Absent: none are. */
  end?(): readonly AnyDraft[]
}

/** Creates the decoder of a file with one JSON object a line. A damaged line gives back every whole record in it. */
export function createLineDecoder(
  reader: LineReader,
  client: string,
  { onBrokenLine }: Pick<TranscriptContext, 'onBrokenLine'>,
): TranscriptDecoder {
  const unknown = (what: string, text: string): AnyDraft => ({
    ...reader.drafts.base(),
    kind: 'unknown',
    payload: { what, raw: firstCharacters(text, MAX_RAW_CHARACTERS) },
    keys: [`${client}-line:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`],
    parents: [],
  })
  const line = (raw: string): AnyDraft[] => {
    const text = bareLine(raw)
    if (text.trim() === '') return []
    const parsed = parseWellFormed(text)
    if (isObject(parsed)) {
      const type = typeof parsed['type'] === 'string' ? firstCharacters(parsed['type'], 100) : 'none'
      return [...(reader.take(parsed) ?? [unknown(`transcript:${type}`, text)])]
    }
    onBrokenLine?.()
    const { records, rest } = wholeRecords(text, (object) => 'type' in object)
    return [...records.flatMap(line), ...(rest === '' ? [] : [unknown('transcript:broken', rest)])]
  }
  return { needsFirstLine: true, line, end: () => [...(reader.end?.() ?? [])] }
}
