import { formatExact, formatMoment } from '../lib/format.ts'

/** A time, short; the pointer shows it exactly. */
export function Moment({ at, className }: { readonly at: string; readonly className?: string }) {
  return (
    <time className={className} dateTime={at} title={formatExact(at)}>
      {formatMoment(at)}
    </time>
  )
}
