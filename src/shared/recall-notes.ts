import type { RecallNotes } from './contract/recall-notes.ts'
import { firstCharacters } from './cut-text.ts'

/** Filters by time, whose values are not stored. */
export const TIME_FILTERS: readonly string[] = ['before', 'after', 'since', 'until', 'on', 'date']

/** Stored names are recorded traffic: they are listed only if they look like names, and shortened. */
const SAFE_NAME = /^[^\s\p{C}]{1,120}$/u

/** Values that a caller names. */
interface NamedValues {
  readonly project?: string | undefined
  readonly session_id?: string | undefined
  readonly tool?: string | undefined
}

/** Returns a search for no texts, whose notes say which of these values nothing recorded has. */
export const searchForNames = ({ tool, ...named }: NamedValues) => ({
  ...named,
  // Such an exclusion selects everything, and is noted if nothing has the value.
  query: tool === undefined ? '' : `-tool:"${tool.replaceAll('"', '')}"`,
  limit: 1,
  prompts: false,
  thinking: false,
  responses: false,
})

function existing({ name, exists }: RecallNotes['as_text'][number]): string {
  const names = exists.filter((one) => SAFE_NAME.test(one) || TIME_FILTERS.includes(name))
  return names.length === 0 ? '' : ` There is: ${names.join(', ')}.`
}

function asTextNote(one: RecallNotes['as_text'][number]): string {
  const value = firstCharacters(one.value, 80)
  return TIME_FILTERS.includes(one.name)
    ? `${one.name}:${value} is not a time, so it was searched as text. Times are ${one.exists.join(', ')}.`
    : `Nothing recorded has ${one.name} "${value}", so it was searched as text.${existing(one)}`
}

/** Describes how a search interpreted its query, one sentence per line, for people and models. */
export function describeNotes(notes: RecallNotes | undefined): readonly string[] {
  if (notes === undefined) return []
  const { as_text: asText, unknown = [], minus_words: minusWords, quotes, did_you_mean: meant } = notes
  const {
    unknown_words: unknownWords = [],
    symbols = [],
    parentheses,
    covers_since: since,
    ranked_since: ranked,
    searched_characters: searched,
    index,
  } = notes
  return [
    ...(index === undefined
      ? []
      : [
          'The search index is damaged: until Aspy, which rebuilds it while it runs, has done so, only the newest texts with all words are found.',
        ]),
    ...(searched === undefined ? [] : [`Only the first ${searched} characters were searched.`]),
    ...(symbols.length === 0 ? [] : [`Emoji and symbols are not searched: ${symbols.join(' ')}`]),
    ...(parentheses === undefined ? [] : ['Parentheses do not group: OR joins only what is next to it.']),
    ...(ranked === undefined
      ? []
      : [`Many texts match: only those since ${ranked.slice(0, 10)} are ranked. Add a word or a time range.`]),
    ...(since === undefined ? [] : [`An import is running: search covers sessions back to ${since.slice(0, 10)}.`]),
    ...unknown.map((one) => `Nothing is recorded of ${one.name} "${firstCharacters(one.value, 80)}".${existing(one)}`),
    ...(unknownWords.length === 0
      ? []
      : [`Nothing recorded has ${unknownWords.map((word) => `"${firstCharacters(word, 80)}"`).join(', ')}.`]),
    ...asText.map(asTextNote),
    ...(minusWords.length === 0
      ? []
      : [
          `-${minusWords.join(', -')} was searched as text. To exclude: ${minusWords.map((word) => `NOT ${word}`).join(' ')}`,
        ]),
    ...(quotes === undefined
      ? []
      : ['No text has the quotation with the other words, so quotations only rank higher.']),
    ...(meant === undefined
      ? []
      : [meant.searched ? `No matches as typed. These are for: ${meant.query}` : `Did you mean: ${meant.query}`]),
  ]
}
