import { isObject } from '../../../shared/json-fields.ts'
import { parseJson } from '../../decode/json-access.ts'
import type { TranscriptDecoder } from '../../decode/transcript-decoder.ts'
import { wholeRecords } from '../../decode/whole-records.ts'

/** A record of more characters is not put together. */
const MAX_CHARACTERS = 1024 * 1024
/** The characters that are read at most to find the end of a record. */
const MAX_READ = 16 * MAX_CHARACTERS
const BEGUN = /^\s*\{/
const ENDED = /\}\s*$/

const recordsIn = (text: string) => wholeRecords(text, (object) => 'type' in object)

function isWhole(text: string): boolean {
  if (isObject(parseJson(text))) return true
  const { records, rest } = recordsIn(text)
  return records.length === 1 && rest === ''
}

/**
 * Puts records together that are on several lines: indented by a program, wrapped by an editor, or with a line end in a
 * text. A record that is cut, with others behind it, is decoded as it is.
 */
export function joinedLines(decoder: TranscriptDecoder): TranscriptDecoder {
  let held: string[] = []
  let characters = 0
  let read = 0

  function hold(text: string): void {
    held.push(text)
    characters += text.length
  }

  function release(): string[] {
    const lines = held
    held = []
    characters = 0
    read = 0
    return lines
  }

  function pieces(text: string): string[] {
    const isBegun = BEGUN.test(text)
    const isEnded = ENDED.test(text)
    if (held.length === 0 || (isBegun && isEnded && isWhole(text))) {
      const before = release()
      if (!isBegun || isEnded || recordsIn(text).records.length > 0) return [...before, text]
      hold(text)
      return before
    }
    hold(text)
    if (isEnded) {
      const joined = held.join('\n')
      read += joined.length
      if (isWhole(joined)) {
        release()
        return [joined]
      }
    }
    return characters > MAX_CHARACTERS || read > MAX_READ ? release() : []
  }

  const decode = (text: string) => decoder.line(text)
  return {
    ...(decoder.needsFirstLine === undefined ? {} : { needsFirstLine: decoder.needsFirstLine }),
    line: (text) =>
      held.length === 0 && BEGUN.test(text) && ENDED.test(text) ? decode(text) : pieces(text).flatMap(decode),
    end: () => [...release().flatMap(decode), ...decoder.end()],
  }
}
