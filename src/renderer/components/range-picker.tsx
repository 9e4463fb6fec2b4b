import { RANGE_LABELS, RANGE_WORDS, RANGES, type Range } from '../lib/time-range.ts'
import { Segments } from './segments.tsx'

interface RangePickerProps {
  readonly value: Range | undefined
  readonly onChange: (range: Range) => void
}

const OPTIONS = RANGES.map((range) => ({ value: range, name: RANGE_LABELS[range], title: RANGE_WORDS[range] }))

/** Selects the time range of a view. */
export const RangePicker = ({ value, onChange }: RangePickerProps) => (
  <Segments label="Time range" options={OPTIONS} value={value} onChange={onChange} />
)
