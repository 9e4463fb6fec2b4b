interface SelectProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly className?: string
}

/** Classes of a field in a row of filters. */
export const FIELD = 'rounded-small border border-line-strong bg-surface px-2 text-meta text-soft'

/** A native select. */
export function Select({ label, value, onChange, options, className = 'max-w-44' }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`h-8 ${FIELD} ${className}`}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  )
}
