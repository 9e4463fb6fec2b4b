import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** A sentence, and the view that shows what it says. */
export interface Sentence {
  readonly text: string
  readonly to?: LinkProps | undefined
}

interface SentencesProps {
  readonly sentences: readonly Sentence[]
  readonly className?: string
}

/** Sentences above the numbers of a view, each a link to what it says, with a button that copies them for Claude. */
export function Sentences({ sentences, className = 'text-body' }: SentencesProps): ReactNode {
  if (sentences.length === 0) return null
  return (
    <p className={`flex flex-wrap items-center gap-x-2 ${className}`}>
      {sentences.map(({ text, to }) =>
        to === undefined ? (
          <span key={text}>{text}</span>
        ) : (
          <Link key={text} {...to} className="hover:underline">
            {text}
          </Link>
        ),
      )}
      <CopyButton
        name={sentences.length === 1 ? 'Copy this sentence' : 'Copy these sentences'}
        size="icon-small"
        text={sentences.map(({ text }) => text).join(' ')}
        notice="Copied what it says"
      />
    </p>
  )
}
