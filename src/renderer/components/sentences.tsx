import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** A sentence, and its nouns with the views that show them, in the order of the sentence. */
export interface Sentence {
  readonly text: string
  readonly links?: readonly (readonly [noun: string, to: LinkProps])[]
}

interface SentencesProps {
  readonly sentences: readonly Sentence[]
  readonly className?: string
}

/** Sentences above the numbers of a view, their nouns links, with a button that copies them for Claude. */
export function Sentences({ sentences, className = 'text-body' }: SentencesProps): ReactNode {
  if (sentences.length === 0) return null
  return (
    // The button is placed at the end of the text, so that it never takes a line of its own.
    <p className={`pr-8 ${className}`}>
      {sentences.map(({ text, links = [] }, at) => (
        <span key={text}>
          {at > 0 && ' '}
          {linked(text, links)}
        </span>
      ))}
      <span className="relative">
        <CopyButton
          name={sentences.length === 1 ? 'Copy this sentence' : 'Copy these sentences'}
          size="icon-small"
          className="absolute -top-0.5 left-1"
          text={sentences.map(({ text }) => text).join(' ')}
          notice="Copied what it says"
        />
      </span>
    </p>
  )
}

function linked(text: string, [first, ...others]: NonNullable<Sentence['links']>): ReactNode {
  if (first === undefined) return text
  const [noun, to] = first
  const from = text.indexOf(noun)
  // A session whose title is not loaded yet has no noun.
  if (from < 0 || noun === '') return linked(text, others)
  return (
    <>
      {text.slice(0, from)}
      <Link
        {...to}
        className="underline decoration-line-strong decoration-dotted underline-offset-4 hover:text-accent hover:decoration-solid"
      >
        {noun}
      </Link>
      {linked(text.slice(from + noun.length), others)}
    </>
  )
}
