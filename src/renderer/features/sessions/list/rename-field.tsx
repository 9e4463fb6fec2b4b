interface RenameFieldProps {
  readonly title: string
  /** null: cancelled. An empty name restores the original one. */
  readonly onDone: (title: string | null) => void
  /** It has buttons beside it, so leaving it cancels nothing. */
  readonly isInForm?: boolean
  readonly className: string
}

/** A field that replaces a session's title. Enter saves, Escape and leaving the field cancel. */
export function RenameField({ title, onDone, isInForm = false, className }: RenameFieldProps) {
  return (
    <input
      type="text"
      name="title"
      aria-label="Session name"
      placeholder="Original name"
      title="Enter saves, Escape cancels"
      maxLength={300}
      // The field opens to type here.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      defaultValue={title}
      // Selected backward, so that a long name shows its beginning.
      onFocus={(event) => event.target.setSelectionRange(0, event.target.value.length, 'backward')}
      onBlur={() => !isInForm && onDone(null)}
      onKeyDown={(event) => {
        event.stopPropagation()
        // An input method takes such keys for itself while it composes a word.
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape') onDone(null)
        if (event.key !== 'Enter') return
        event.preventDefault()
        onDone(event.currentTarget.value)
      }}
      className={`rounded-small border border-line-strong bg-surface px-2 ${className}`}
    />
  )
}
