import { withoutEscapes } from '../base/escapes.ts'
import { fold, hasCjk, wordsOf } from '../base/words.ts'
import { matchDocs, type RecallFilter } from '../store/read/recall.ts'
import { findDocs, textOf } from '../store/read/recall-docs.ts'
import { frequencyOf } from '../store/read/recall-frequency.ts'
import type { Reader } from '../store/read/reader.ts'
import { quote } from './terms.ts'
import { COMMON } from './stages.ts'

/** Maximum number of texts that are read to check whether they contain the pasted text. */
const MAX_READ = 100
/** Words of a pasted text that are looked up in the index; the rest is compared in the texts. */
const MAX_WORDS = 12
/** A text of fewer words may not be cut at either end. */
const MIN_CUT_WORDS = 4

/**
 * Finds texts that contain the typed text, character by character except for case and white space. The first and the
 * last word may be cut off, as in a passage copied from a text: `ceeded. Let me run the te`. Returns their ids.
 */
export function textsWithPasted(reader: Reader, typed: string, filter: RecallFilter): number[] {
  const words = wordsOf(typed)
  if (words.length < 2 || hasCjk(typed)) return []
  const uncut = words.length >= MIN_CUT_WORDS ? words.slice(1, -1) : words
  const inner = textsWith(reader, uncut, typed, filter)
  // Too many texts have the inner words; fewer have all of the words.
  return inner.found.length > 0 || inner.isAll ? inner.found : textsWith(reader, words, typed, filter).found
}

function textsWith(reader: Reader, words: readonly string[], typed: string, filter: RecallFilter) {
  const sought = words.slice(0, MAX_WORDS)
  // A phrase of only common words would scan the whole index.
  if (sought.every((word) => frequencyOf(reader, quote([word]), COMMON) >= COMMON)) return { found: [], isAll: true }
  const { matches } = matchDocs(reader, `{text parts} : ${quote(sought)}`, filter, MAX_READ)
  const ids = matches.map(({ id }) => id)
  const wanted = plain(typed)
  const docs = [...findDocs(reader, ids).values()].filter((doc) => plain(textOf(reader, doc)).includes(wanted))
  return { found: docs.map(({ id }) => id), isAll: ids.length < MAX_READ }
}

const plain = (text: string): string => fold(withoutEscapes(text)).replaceAll(/\s+/g, ' ').trim()
