import { memo } from 'react'
import { type ParsedToken, parse } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'
import { CopyButton } from './copy-button.tsx'

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
  /** A language's name, fence word or file extension; unknown ones are shown plain. */
  readonly language?: string | undefined
}

/** Code as coloured text. */
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

interface CodeBlockProps extends CodeProps {
  readonly maxHeight?: string
}

/** A block of code with a way to copy it. */
export function CodeBlock({ code, language, maxHeight = '26rem' }: CodeBlockProps) {
  return (
    <div className="group relative my-2 rounded-small border bg-sunken">
      <pre
        className="overflow-auto px-3.5 py-3 font-mono text-meta leading-[1.55]"
        style={{ maxHeight }}
        // A scrolling region must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={language === undefined || language === '' ? 'Code' : `Code, ${language}`}
      >
        <code>
          <Code code={code} language={language} />
        </code>
      </pre>
      <div className="absolute top-1.5 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton
          text={code}
          said={`Copied ${code.split('\n').length} lines of code`}
          name="Copy the code"
          look="plain"
        />
      </div>
    </div>
  )
}
