import { Segments } from '../../../components/segments.tsx'
import { RANGE_LABELS, RANGE_WORDS, RANGES } from '../../../lib/time-range.ts'
import { RECEIPT_PRESET, type ReceiptSearch } from './receipt-search.ts'

const OPTIONS = [
  ...RANGES.map((range) => ({ value: range, name: RANGE_LABELS[range], title: RANGE_WORDS[range] })),
  { value: 'days' as const, name: 'Days', title: 'from one day to another' },
]

interface ReceiptRangeProps {
  readonly search: ReceiptSearch
  readonly onChange: (next: Pick<ReceiptSearch, 'range' | 'from' | 'to'>) => void
}

/** Selects a preset range, or the first and the last day. */
export function ReceiptRange({ search: { range = RECEIPT_PRESET, from, to }, onChange }: ReceiptRangeProps) {
  const hasDays = from !== undefined || to !== undefined
  const input = 'h-8 rounded-small border border-line-strong bg-surface px-2 text-meta text-soft'
  return (
    <>
      {hasDays && (
        <>
          <input
            type="date"
            aria-label="First day"
            value={from ?? ''}
            max={to}
            onChange={({ target }) => onChange({ from: target.value || undefined, to })}
            className={input}
          />
          <input
            type="date"
            aria-label="Last day"
            value={to ?? ''}
            min={from}
            onChange={({ target }) => onChange({ from, to: target.value || undefined })}
            className={input}
          />
        </>
      )}
      <Segments
        label="Time range"
        options={OPTIONS}
        value={hasDays ? 'days' : range}
        onChange={(next) =>
          onChange(
            next === 'days'
              ? { range: undefined, ...thisMonth(new Date()) }
              : { range: next === RECEIPT_PRESET ? undefined : next, from: undefined, to: undefined },
          )
        }
      />
    </>
  )
}

/** The first day of the month, and today. */
function thisMonth(now: Date): { readonly from: string; readonly to: string } {
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'))
  return { from: [...today.slice(0, 2), '01'].join('-'), to: today.join('-') }
}
