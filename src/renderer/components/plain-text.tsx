import { visibleText } from '../../shared/visible-text.ts'
import { ShowRest, useCutText } from './cut-text.tsx'

/** A text as written, in the direction of its script; a very long one is truncated. */
export function PlainText({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  const { shown, isCut, showAll } = useCutText(text)
  return (
    <>
      <p dir="auto" className={`traffic ${className}`}>
        {visibleText(shown)}
      </p>
      {isCut && <ShowRest length={text.length} onClick={showAll} />}
    </>
  )
}
