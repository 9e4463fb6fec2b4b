import { memo, type ReactNode } from 'react'
import { plural } from '../lib/format.ts'
import { highlightLines } from '../../shared/syntax.ts'
import { CopyButton } from './copy-button.tsx'
import { ShowAll, useFoldedText } from './show-all.tsx'

interface CodeProps {
  readonly code: string
  /** A language name, a Markdown fence word or a file extension. Unknown languages are shown without colors. */
  readonly language?: string | undefined
}

/** Code with syntax colors. */
const Code = memo(function Code({ code, language }: CodeProps) {
  const lines = highlightLines(code, language)
  if (lines === null) return <>{code}</>
  return (
    <>
      {lines.map((tokens, lineNumber) => (
        <span key={lineNumber}>
          {tokens.map(({ text, color }, position) =>
            color === undefined ? (
              text
            ) : (
              <span key={position} className={color}>
                {text}
              </span>
            ),
          )}
          {lineNumber < lines.length - 1 && '\n'}
        </span>
      ))}
    </>
  )
})

interface CodeFrameProps {
  readonly text: string
  /** Accessible name. */
  readonly label: string
  /** Text for the clipboard, if it differs from the shown text. */
  readonly copied?: string
  readonly copyName?: string
  /** A line above the code. */
  readonly head?: ReactNode
  readonly children: (shown: string) => ReactNode
}

/** A box for code with a copy button. A long text shows its first lines, and the rest on request. */
export function CodeFrame({ text, label, copied = text, copyName = 'Copy code', head, children }: CodeFrameProps) {
  const fold = useFoldedText(text)
  return (
    <div className="group/code relative my-2 rounded-small border bg-sunken" dir="ltr">
      {head}
      <pre
        className={`px-3.5 py-2.5 font-mono text-meta leading-[1.55] ${fold.scrolls ? 'max-h-[80vh] overflow-auto' : 'fade-x overflow-y-hidden'}`}
        // The keyboard scrolls the element that has the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={label}
      >
        <code>{children(fold.shown)}</code>
      </pre>
      <ShowAll fold={fold} />
      <div className="absolute top-1 right-1.5 opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100">
        <CopyButton
          text={copied}
          notice={`Copied ${plural(copied.split('\n').length, 'line')}`}
          name={copyName}
          look="plain"
        />
      </div>
    </div>
  )
}

interface CodeBlockProps extends CodeProps {
  /** Shows the language above the code. */
  readonly isLabeled?: boolean
}

/** A block of code with syntax colors. */
export function CodeBlock({ code, language, isLabeled = false }: CodeBlockProps) {
  const isNamed = language !== undefined && language !== ''
  return (
    <CodeFrame
      text={code}
      label={isNamed ? `Code, ${language}` : 'Code'}
      head={isLabeled && isNamed && <p className="border-b px-3.5 py-1 text-micro text-faint">{language}</p>}
    >
      {(shown) => <Code code={shown} language={language} />}
    </CodeFrame>
  )
}
