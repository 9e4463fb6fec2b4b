import { useEffect, useRef } from 'react'

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly name: string; readonly title?: string }[]
  /** undefined: none is selected. */
  readonly value: Value | undefined
  readonly onChange: (value: Value) => void
}

/** A few options side by side, one of them selected. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  const group = useRef<HTMLDivElement>(null)
  const at = options.findIndex((option) => option.value === value)
  useEffect(() => {
    const [box, on] = [group.current, group.current?.children[at]]
    if (box && on instanceof HTMLElement) box.scrollLeft = on.offsetLeft - (box.clientWidth - on.offsetWidth) / 2
  }, [at])
  return (
    <div
      ref={group}
      role="group"
      aria-label={label}
      className="fade-x relative inline-flex max-w-full min-w-0 rounded-small border border-line-strong bg-surface p-0.5"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.title}
          onClick={() => onChange(option.value)}
          className={`bar h-7 shrink-0 rounded-[0.3rem] px-3 text-meta whitespace-nowrap ${
            option.value === value ? 'bg-accent-soft font-semibold text-accent' : 'text-soft hover:bg-hover'
          }`}
        >
          {option.name}
        </button>
      ))}
    </div>
  )
}
