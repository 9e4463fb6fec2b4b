import { memo } from 'react'
import { type ParsedToken, parse } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'
import { plural } from '../lib/format.ts'
import { CopyButton } from './copy-button.tsx'
import { ShowAll, useFoldedText } from './show-all.tsx'

const MAX_HIGHLIGHTED = 40_000

const COLORS: Partial<Record<ParsedToken['type'], string>> = {
  keyword: 'text-[var(--syn-keyword)]',
  string: 'text-[var(--syn-string)]',
  class: 'text-[var(--syn-class)]',
  entity: 'text-[var(--syn-class)]',
  property: 'text-[var(--syn-property)]',
  comment: 'text-[var(--syn-comment)] italic',
}

interface CodeProps {
  readonly code: string
  /** A language name, a Markdown fence word or a file extension. Unknown languages are shown without colors. */
  readonly language?: string | undefined
}

/** Code with syntax colors. */
const Code = memo(function Code({ code, language }: CodeProps) {
  const name = language === undefined || language === '' ? undefined : lang(language)
  if (name === undefined || name === 'plaintext' || code.length > MAX_HIGHLIGHTED) return <>{code}</>
  const { lines } = parse(code, languages.find((known) => known.id === name)?.config ?? {})
  return (
    <>
      {lines.map((line, lineNumber) => (
        <span key={lineNumber}>
          {line.tokens.map((token, position) => {
            const color = COLORS[token.type]
            return color === undefined ? (
              token.value
            ) : (
              <span key={position} className={color}>
                {token.value}
              </span>
            )
          })}
          {lineNumber < lines.length - 1 && '\n'}
        </span>
      ))}
    </>
  )
})

/** A block of code with a copy button. A long one shows its first lines, and the rest on request. */
export function CodeBlock({ code, language }: CodeProps) {
  const fold = useFoldedText(code)
  return (
    <div className="group relative my-2 rounded-small border bg-sunken">
      <pre
        className={`px-3.5 py-3 font-mono text-meta leading-[1.55] ${fold.scrolls ? 'max-h-[80vh] overflow-auto' : 'overflow-x-auto overflow-y-hidden'}`}
        dir="ltr"
        // The keyboard scrolls the element that has the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={language === undefined || language === '' ? 'Code' : `Code, ${language}`}
      >
        <code>
          <Code code={fold.shown} language={language} />
        </code>
      </pre>
      <ShowAll fold={fold} />
      <div className="absolute top-1.5 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton
          text={code}
          notice={`Copied ${plural(code.split('\n').length, 'line')} of code`}
          name="Copy code"
          look="plain"
        />
      </div>
    </div>
  )
}
