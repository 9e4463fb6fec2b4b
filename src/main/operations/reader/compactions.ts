import { AspyError } from '../../../shared/contract/errors.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import { createMarkFinder } from '../../recall/marks.ts'
import { makePack, type Pack } from '../../recall/pack.ts'
import { parseQuery } from '../../recall/query.ts'
import { fold, wordsOf } from '../../base/words.ts'
import {
  type CompactionRow,
  requireCompaction,
  requireLastCompaction,
  type SpokenText,
  textsBefore,
} from '../../store/read/compactions.ts'
import type { Reader } from '../../store/read/reader.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

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
export const compactionDropped: ReaderHandler<'compactions.dropped'> = (reader, input) => {
  const compaction = compactionOf(reader, input)
  const known = new Set(tellingWords(compaction.content).keys())
  const texts = textsBefore(reader, compaction, TEXTS_LOOKED_AT + 1)
  const looked = texts.slice(0, TEXTS_LOOKED_AT)
  const holds = holdsAll(input.query ?? '')
  const dropped: { readonly text: SpokenText; readonly words: number; readonly missing: readonly string[] }[] = []
  let covered = 0
  for (const text of looked) {
    const words = tellingWords(text.content)
    const missing = [...words].filter(([stem]) => !known.has(stem)).map(([, word]) => word)
    if (missing.length === 0) covered += 1
    else if (holds(text.content)) dropped.push({ text, words: words.size, missing })
  }
  dropped.sort((a, b) => b.missing.length - a.missing.length || (a.text.timestamp < b.text.timestamp ? 1 : -1))
  const first = dropped.slice(0, input.limit)
  return {
    items: first.map(({ text, words, missing }) => ({
      ...text,
      content: text.content.slice(0, CONTENT_CHARACTERS).toWellFormed(),
      words,
      missing: missing.length,
      missing_words: missing.slice(0, WORDS_NAMED),
    })),
    texts: looked.length,
    covered,
    partial: texts.length > TEXTS_LOOKED_AT,
    ...(input.budget === undefined
      ? {}
      : {
          pack: packOf(
            compaction,
            first.map(({ text }) => text),
            input.budget,
          ),
        }),
  }
}

function compactionOf(reader: Reader, { uuid, session_id }: ParsedInput<'compactions.dropped'>): CompactionRow {
  if (uuid !== undefined) return requireCompaction(reader, uuid)
  if (session_id !== undefined) return requireLastCompaction(reader, session_id)
  throw new AspyError('bad_input', 'uuid: name a compaction, or a session in session_id')
}

/** Whether a text holds all telling words of a query, in any form that recall knows. */
function holdsAll(query: string): (text: string) => boolean {
  const terms = parseQuery(query).terms
  const telling = terms.filter(({ isStopWord }) => !isStopWord)
  const asked = telling.length > 0 ? telling : terms
  if (asked.length === 0) return () => true
  const forms = new Map(asked.flatMap(({ words, forms }) => forms.map((form) => [form, words[0] ?? form] as const)))
  const words = new Set(asked.flatMap((term) => term.words))
  const finder = createMarkFinder([...words], null, forms)
  return (text) => new Set(finder.find(text).map(({ word }) => word)).size === words.size
}

const LABELS = { user_prompt: 'user prompt', assistant_text: 'answer', thinking: 'thinking' } as const

/** Oldest first: what was said is read in its order. */
function packOf(compaction: CompactionRow, texts: readonly SpokenText[], budget: number): Pack {
  const items = texts
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    .map(({ uuid, kind, turn_id, timestamp, content }) => ({
      label: LABELS[kind],
      session_id: compaction.session_id,
      turn_id,
      uuid,
      timestamp,
      project: null,
      text: content,
    }))
  return makePack(items, budget, `Said before the compaction of ${compaction.timestamp} and not in its summary.`)
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
