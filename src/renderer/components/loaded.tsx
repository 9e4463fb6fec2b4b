import type { ReactNode } from 'react'
import { Failed, LoadingRows } from './states.tsx'

interface Reading<Data> {
  /** State of the answer. */
  readonly query: { readonly data: Data | undefined; readonly error: Error | null; readonly refetch: () => unknown }
  /** `view`: bars while it loads, and a button to try again. `line`: a line of text, for a card. */
  readonly look?: 'view' | 'line'
  /** Placeholder bars of a view, and a label for what is loading. */
  readonly rows?: number
  readonly label?: string
  /** Shown instead of an empty answer. */
  readonly empty?: ReactNode
  /** Shown if the requested item does not exist. */
  readonly missing?: ReactNode
}

/** Shows an answer, or its state: loading, failed or empty. */
export function loaded<Data>(
  { query, look = 'view', rows = 8, label = 'Loading', empty, missing }: Reading<Data>,
  show: (data: Data) => ReactNode,
): ReactNode {
  const { data, error } = query
  if (error !== null) {
    if (look === 'view') return <Failed error={error} onRetry={() => void query.refetch()} missing={missing} />
    return (
      <p role="alert" className="traffic px-5 pb-4 text-small text-bad">
        {error.message}
      </p>
    )
  }
  if (data !== undefined) return empty || show(data)
  if (look === 'view') return <LoadingRows rows={rows} label={label} />
  return <p className="px-5 pb-4 text-small text-faint">Loading…</p>
}
