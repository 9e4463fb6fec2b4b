import type { RecallNotes } from './contract/recall.ts'

/** Stored names are recorded traffic: they are listed only if they look like names, and shortened. */
const SAFE_NAME = /^[^\s\p{C}]{1,120}$/u

/** Describes what a search understood differently, one sentence a line, for people and models. */
export function describeNotes(notes: RecallNotes | undefined): readonly string[] {
  if (notes === undefined) return []
  const { as_text: asText, minus_words: minusWords, quotes, did_you_mean: meant, covers_since: since } = notes
  return [
    ...(since === undefined ? [] : [`An import is running: search covers sessions back to ${since.slice(0, 10)}.`]),
    ...asText.map(({ name, value, exists }) => {
      const names = exists.filter((one) => SAFE_NAME.test(one) || name.match(/^(?:before|after|since|until|on|date)$/))
      const known = names.length === 0 ? '' : ` There is: ${names.join(', ')}.`
      return `Nothing recorded has ${name} "${value.slice(0, 80)}", so it was searched as text.${known}`
    }),
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
