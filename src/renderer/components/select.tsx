interface SelectProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly className?: string
}

/** One of many, chosen from the browser's own list. */
export function Select({ label, value, onChange, options, className = 'max-w-44' }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`h-8 rounded-small border border-line-strong bg-surface px-2 text-[0.8rem] text-soft ${className}`}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  )
}
