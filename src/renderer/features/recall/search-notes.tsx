import type { RecallNotes } from '../../../shared/contract/recall-notes.ts'
import { TIME_FILTERS } from '../../../shared/recall-notes.ts'
import { Button } from '../../components/button.tsx'
import { formatCount, formatDay } from '../../lib/format.ts'
import { excluding, withValue } from './rewrite-query.ts'

interface SearchNotesProps {
  readonly notes: RecallNotes | undefined
  readonly query: string
  readonly onSearch: (query: string) => void
}

/** Differences between the search's interpretation and the likely intention, with chips that change the query. */
export function SearchNotes({ notes, query, onSearch }: SearchNotesProps) {
  if (notes === undefined) return null
  const {
    as_text: asText,
    unknown = [],
    minus_words: minusWords,
    quotes,
    did_you_mean: meant,
    covers_since: since,
  } = notes
  const { searched_characters: searched, symbols = [], unknown_words: unknownWords = [] } = notes
  const chip = (label: string, next: string) => (
    <Button key={label} look="ghost" size="small" onClick={() => onSearch(next)}>
      {label}
    </Button>
  )
  return (
    <div role="note" className="mb-2 flex flex-col gap-1 px-4 text-meta text-faint">
      {since !== undefined && (
        <p>An import is running: search covers sessions back to {formatDay(new Date(since), true)}.</p>
      )}
      {searched !== undefined && <p>Only the first {formatCount(searched)} characters were searched.</p>}
      {symbols.length > 0 && <p>Emoji and symbols are not searched: {symbols.join(' ')}</p>}
      {meant !== undefined && (
        <p>
          {meant.searched ? 'No matches as typed. Showing matches for ' : 'Did you mean '}
          {chip(meant.query, meant.query)}
        </p>
      )}
      {unknownWords.length > 0 && <p>Nothing recorded has {unknownWords.map((word) => `“${word}”`).join(', ')}.</p>}
      {unknown.map(({ name, value }) => (
        <p key={`${name}:${value}`}>
          Nothing is recorded of {name} “{value}”.
        </p>
      ))}
      {asText.map(({ name, value, exists }) => (
        <p key={`${name}:${value}`}>
          {TIME_FILTERS.includes(name) ? `“${value}” is not a time` : `Nothing recorded has ${name} “${value}”`}, so it
          was searched as text.
          {exists.length > 0 && ' There is: '}
          {exists.map((other) => chip(other, withValue(query, { name, value }, other)))}
        </p>
      ))}
      {minusWords.map((word) => (
        <p key={word}>
          “-{word}” was searched as text. {chip(`Exclude “${word}” instead`, excluding(query, word))}
        </p>
      ))}
      {quotes !== undefined && <p>No text has the quotation and the other words, so quotations only rank higher.</p>}
    </div>
  )
}
