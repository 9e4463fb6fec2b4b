import { visibleText } from '../../shared/visible-text.ts'
import { snippetParts } from '../lib/snippet.ts'

/** A hit's snippet with its matches in `<mark>` elements. */
export function Snippet({ content }: { content: string }) {
  return (
    <>
      {snippetParts(content).map((part, index) =>
        part.marked ? (
          <mark key={index}>{visibleText(part.text)}</mark>
        ) : (
          <span key={index}>{visibleText(part.text)}</span>
        ),
      )}
    </>
  )
}
