import { useState } from 'react'

interface RenameFieldProps {
  readonly title: string
  /** null: cancelled. An empty name restores the original one. */
  readonly onDone: (title: string | null) => void
  readonly className?: string
}

/** A field that replaces a session's title. Enter saves, Escape and leaving the field cancel. */
export function RenameField({ title, onDone, className = 'h-8 w-72' }: RenameFieldProps) {
  const [text, setText] = useState(title)
  return (
    <input
      type="text"
      aria-label="Session name"
      placeholder="Original name"
      title="Enter saves, Escape cancels"
      maxLength={300}
      // The field opens to type here.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      value={text}
      onFocus={(event) => event.target.select()}
      onBlur={() => onDone(null)}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') onDone(null)
        if (event.key === 'Enter') onDone(text)
      }}
      className={`rounded-small border border-line-strong bg-surface px-2 text-small ${className}`}
    />
  )
}
