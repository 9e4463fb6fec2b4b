import type { JsonObject } from '../../shared/event.ts'
import { isObject } from '../../shared/json-fields.ts'
import { bareLine, parseJson } from './json-access.ts'

/** What a damaged line of a file still holds. */
export interface BrokenLine {
  /** Texts of the records that are whole, in order. */
  readonly records: readonly string[]
  /** The rest, without the bytes that damage leaves; empty if nothing else was there. */
  readonly rest: string
}

const QUOTE = '"'
/** Bytes that a crash or a careless copy leaves between records: NULs, byte order marks, line ends. */
const LEFT_BEHIND = /[\0\uFEFF\s]+/g
/** What is between the records of a list. */
const NOTHING = /^[[,\s\uFEFF]*$/
/** A record of a list is followed by the next one, or by its end. */
const LISTED = /^\s*(?:,\s*(?:\{\s*"|$)|\]\s*$)/
const BEGINNING = /\{\s*"/g
/** Control characters but NUL, which damage leaves. */
const CONTROL = /[^\P{Cc}\0]/u
const CONTROLS = new RegExp(CONTROL, 'gu')
/** A line in which every object is cut would otherwise be read again and again. */
const READ_AT_MOST_TIMES = 16

/**
 * Finds the whole records in a line that is not JSON: records glued together, one behind a truncated one or behind NUL
 * bytes. An object inside a truncated record is none: it is followed by the rest of that record, and `isRecord` does not
 * know it.
 */
export function wholeRecords(text: string, isRecord: (object: JsonObject) => boolean): BrokenLine {
  const records: string[] = []
  const rest: string[] = []
  let budget = text.length * READ_AT_MOST_TIMES
  let from = 0
  BEGINNING.lastIndex = 0
  for (let found = BEGINNING.exec(text); found !== null && budget > 0; found = BEGINNING.exec(text)) {
    const start = found.index
    const end = endOfObject(text, start)
    budget -= end - start
    const isWhole =
      isFollowedByRecord(text, end) || (NOTHING.test(text.slice(from, start)) && LISTED.test(text.slice(end)))
    const record = isWhole ? readable(text.slice(start, end)) : ''
    const value = parseJson(record)
    if (!isObject(value) || !isRecord(value)) {
      BEGINNING.lastIndex = start + 1
      continue
    }
    records.push(record)
    rest.push(text.slice(from, start))
    from = end
    BEGINNING.lastIndex = end
  }
  rest.push(text.slice(from))
  return {
    records,
    rest: rest
      .map((part) => part.replaceAll(LEFT_BEHIND, ' ').trim())
      .join(' ')
      .replace(records.length > 0 ? /^[[\],\s]+$/ : '', '')
      .trim(),
  }
}

/** True if a line is only whole records, and what damage leaves between them. */
export function isOnlyRecords(text: string): boolean {
  const { records, rest } = wholeRecords(text, (object) => 'type' in object)
  return records.length > 0 && rest === ''
}

/** Returns the objects in the lines of a text, of broken lines and of those that make one record those that have a type. */
export function objectsIn(text: string): readonly JsonObject[] {
  const found = text.split('\n').flatMap((line) => {
    const value = parseJson(bareLine(line))
    if (value !== undefined) return isObject(value) ? [value] : []
    return typedObjects(line)
  })
  return found.length > 0 ? found : typedObjects(text)
}

function typedObjects(text: string): readonly JsonObject[] {
  return wholeRecords(text, (object) => 'type' in object).records.flatMap((record) => {
    const object = parseJson(record)
    return isObject(object) ? [object] : []
  })
}

/** Returns a record in which the control characters that a careless copy unescaped are escaped. */
function readable(record: string): string {
  if (!CONTROL.test(record) || parseJson(record) !== undefined) return record
  const escaped = (text: string) => text.replaceAll(CONTROLS, (one) => JSON.stringify(one).slice(1, -1))
  return record.replaceAll(/"(?:[^"\\]|\\.)*"/gs, escaped)
}

/** Returns where the object that starts here ends; the end of the text if it is cut. Braces in strings do not count. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let isString = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (isString) {
      if (character === '\\') at += 1
      else if (character === QUOTE) isString = false
    } else if (character === QUOTE) isString = true
    else if (character === '{') depth += 1
    else if (character === '}' && (depth -= 1) === 0) return at + 1
  }
  return text.length
}

/** A value inside of a record is followed by a comma or a bracket. */
function isFollowedByRecord(text: string, end: number): boolean {
  for (let at = end; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (!/[\0\uFEFF\s]/.test(character)) return !/[,}\]:]/.test(character)
  }
  return true
}
