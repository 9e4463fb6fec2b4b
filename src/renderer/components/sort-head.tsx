interface SortHeadProps {
  readonly name: string
  readonly title: string | undefined
  readonly isOn: boolean
  readonly onSort: () => void
}

/** A column header that sorts by its column, highest first. */
export function SortHead({ name, title, isOn, onSort }: SortHeadProps) {
  return (
    <button
      type="button"
      title={title}
      onClick={onSort}
      className={`min-h-6 min-w-6 rounded-small hover:text-ink ${isOn ? 'font-semibold text-ink' : ''}`}
    >
      {name}
      {isOn && ' ↓'}
    </button>
  )
}
