import type { RecallNotes } from '../../../shared/contract/recall-notes.ts'
import { describeNotes, TIME_FILTERS } from '../../../shared/recall-notes.ts'
import { Button } from '../../components/button.tsx'
import { excluding, withValue } from './rewrite-query.ts'

interface SearchNotesProps {
  readonly notes: RecallNotes | undefined
  readonly query: string
  readonly onSearch: (query: string) => void
}

/** Differences between the search's interpretation and the likely intention, with chips that change the query. */
export function SearchNotes({ notes, query, onSearch }: SearchNotesProps) {
  if (notes === undefined) return null
  const { as_text: asText, minus_words: minusWords, did_you_mean: meant, ...others } = notes
  const chip = (label: string, next: string) => (
    <Button key={label} look="ghost" size="small" onClick={() => onSearch(next)}>
      {label}
    </Button>
  )
  return (
    <div role="note" className="mb-2 flex flex-col gap-1 px-4 text-meta text-faint">
      {describeNotes({ ...others, as_text: [], minus_words: [] }).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {meant !== undefined && (
        <p>
          {meant.searched ? 'No matches as typed. Showing matches for ' : 'Did you mean '}
          {chip(meant.query, meant.query)}
        </p>
      )}
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
    </div>
  )
}
