import { memo } from 'react'
import { visibleText } from '../../shared/visible-text.ts'
import { withoutAnsi } from '../../shared/terminal-text.ts'
import { ansiSpans } from '../lib/ansi.ts'

/** Longer output is shown without its colors. */
const MAX_COLORED = 200_000

/** Terminal output with its colors, as colors of the theme. */
export const AnsiText = memo(function AnsiText({ text }: { readonly text: string }) {
  if (text.length > MAX_COLORED || !text.includes('\u001B')) return visibleText(withoutAnsi(text))
  return ansiSpans(text).map((span, index) =>
    span.look === '' ? (
      visibleText(span.text)
    ) : (
      <span key={index} className={span.look}>
        {visibleText(span.text)}
      </span>
    ),
  )
})
