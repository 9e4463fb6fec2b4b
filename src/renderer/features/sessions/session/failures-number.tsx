import { type FailureCounts, formatFailures } from '../../../../shared/failures.ts'

interface FailuresNumberProps {
  readonly failures: FailureCounts
  readonly onNext: () => void
}

/** The failures of a session, API errors and tools separately. Each click opens the next one in time order. */
export function FailuresNumber({ failures, onNext }: FailuresNumberProps) {
  const text = formatFailures(failures)
  return (
    <button
      type="button"
      onClick={onNext}
      aria-label={`${text}: go to the next error`}
      title="API errors and failed tool calls. Go to the next one (e), or back (Shift+E)"
      className="rounded-small whitespace-nowrap text-bad underline decoration-dotted underline-offset-4 hover:decoration-solid"
    >
      {text}
    </button>
  )
}
