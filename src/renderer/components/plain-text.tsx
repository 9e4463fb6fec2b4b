import { visibleText } from '../../shared/visible-text.ts'
import { ShowRest, useCutText } from './cut-text.tsx'

/** A prompt as written, in the direction of its script; a very long one is truncated. */
export function PlainText({ text }: { readonly text: string }) {
  const { shown, isCut, showAll } = useCutText(text)
  return (
    <>
      <p dir="auto" className="traffic font-medium">
        {visibleText(shown)}
      </p>
      {isCut && <ShowRest length={text.length} onClick={showAll} />}
    </>
  )
}
