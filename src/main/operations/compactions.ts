import type { OperationOutput } from '../../shared/contract/index.ts'
import { fold, wordsOf } from '../recall/words.ts'
import { requireCompaction, textsBefore } from '../store/read/compactions.ts'
import type { ReaderHandler } from './handlers.ts'

const TEXTS_LOOKED_AT = 3000
const CONTENT_CHARACTERS = 600
const WORDS_NAMED = 12
/** Shorter words say nothing of what a text is about. */
const WORD_CHARACTERS = 4
/** Common words of that length say nothing either. */
const FILLERS: ReadonlySet<string> = new Set(
  `about after again also another because been before being both cannot come could does doing done each even every first
  from have having here into just know like made make many more most much must need never next only other over same shall
  should since some still such take than that their them then there these they thing this those through under until very
  want were what when where whether which while will with without would your`.split(/\s+/),
)
/** Endings that do not make another word of it. */
const ENDING = /(?:ing|ed|es|s|ly)$/

/**
 * Which texts a summary leaves out, by their words: a plain measure, and an honest one. A text whose every word stands in
 * the summary counts as covered; of the others, those come first that have most words which the summary lacks.
 */
export const compactionDropped: ReaderHandler<'compactions.dropped'> = (reader, { uuid, limit }) => {
  const compaction = requireCompaction(reader, uuid)
  const known = new Set(tellingWords(compaction.content).keys())
  const texts = textsBefore(reader, compaction, TEXTS_LOOKED_AT + 1)
  const looked = texts.slice(0, TEXTS_LOOKED_AT)
  const items: OperationOutput<'compactions.dropped'>['items'] = []
  for (const { content, ...text } of looked) {
    const words = tellingWords(content)
    const missing = [...words].filter(([stem]) => !known.has(stem)).map(([, word]) => word)
    if (missing.length === 0) continue
    items.push({
      ...text,
      content: content.slice(0, CONTENT_CHARACTERS).toWellFormed(),
      words: words.size,
      missing: missing.length,
      missing_words: missing.slice(0, WORDS_NAMED),
    })
  }
  items.sort((a, b) => b.missing - a.missing || (a.timestamp < b.timestamp ? 1 : -1))
  return {
    items: items.slice(0, limit),
    texts: looked.length,
    covered: looked.length - items.length,
    partial: texts.length > TEXTS_LOOKED_AT,
  }
}

/** Words by their stem, as first written. */
function tellingWords(text: string): Map<string, string> {
  const words = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const folded = fold(word)
    if (word.length < WORD_CHARACTERS || FILLERS.has(folded)) continue
    const stem = folded.replace(ENDING, '')
    if (!words.has(stem)) words.set(stem, word)
  }
  return words
}
