interface MeterProps {
  /** What it measures, for those who do not see it. */
  readonly label: string
  /** 1 is full; more than that is said beside it. */
  readonly share: number
  /** From these shares on it warns, and is full. */
  readonly warnFrom: number
  readonly badFrom: number
}

/** How full a thing is, as a bar. */
export function Meter({ label, share, warnFrom, badFrom }: MeterProps) {
  const tone = share >= badFrom ? 'bg-bad' : share >= warnFrom ? 'bg-warn' : 'bg-accent'
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round(share * 100))}
      className="h-2 flex-1 overflow-hidden rounded-full bg-hover"
    >
      <span className={`block h-full rounded-full ${tone}`} style={{ width: `${Math.min(100, share * 100)}%` }} />
    </span>
  )
}
