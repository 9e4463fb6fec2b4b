interface ProgressBarProps {
  readonly label: string
  /** From 0 to 1. */
  readonly share: number
  readonly className?: string
}

/** A thin bar that fills up. */
export function ProgressBar({ label, share, className = '' }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className={`h-1.5 overflow-hidden rounded-full bg-hover ${className}`}
    >
      <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  )
}
