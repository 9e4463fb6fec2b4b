import { RANGE_LABELS, RANGE_WORDS, RANGES, type Range } from '../lib/time-range.ts'

interface RangePickerProps {
  readonly value: Range
  readonly onChange: (range: Range) => void
}

/** Chooses the time range of a view. */
export function RangePicker({ value, onChange }: RangePickerProps) {
  return (
    <div
      role="group"
      aria-label="Time range"
      className="inline-flex rounded-small border border-line-strong bg-surface p-0.5"
    >
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === value}
          title={RANGE_WORDS[range]}
          onClick={() => onChange(range)}
          className={`bar h-7 rounded-[0.3rem] px-2.5 text-[0.8rem] ${
            range === value ? 'bg-accent-soft font-semibold text-accent' : 'text-soft hover:bg-hover'
          }`}
        >
          {RANGE_LABELS[range]}
        </button>
      ))}
    </div>
  )
}
