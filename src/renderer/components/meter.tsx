interface MeterProps {
  /** Accessible name. */
  readonly label: string
  /** 1 is full. Larger shares are drawn as full. */
  readonly share: number
  /** Shares at which the bar turns to the warning and error colors. */
  readonly warnFrom: number
  readonly badFrom: number
}

/** A bar that shows how much of a limit is used. */
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
