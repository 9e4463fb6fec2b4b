import type { ReactNode } from 'react'
import { sinksTable } from '../../../shared/columns/health.ts'
import type { Health } from '../../../shared/contract/health.ts'
import { Table } from '../../components/table.tsx'
import { formatCount } from '../../lib/format.ts'

/** Other destinations of events: delivered, waiting, and given-up events with the reasons. */
export function Sinks({ sinks }: { sinks: Health['sinks'] }): ReactNode {
  return (
    <Table
      columns={sinksTable}
      rows={sinks}
      keyOf={(sink) => sink.name}
      cells={{
        name: (sink, text) => (
          <>
            {text}
            <span className="block font-mono text-meta wrap-anywhere text-faint">{sink.target}</span>
            {sink.problem !== null && <span className="block text-meta wrap-anywhere text-bad">{sink.problem}</span>}
          </>
        ),
        dropped: (sink) => <Undelivered dropped={sink.dropped} />,
      }}
    />
  )
}

function Undelivered({ dropped }: { dropped: Health['sinks'][number]['dropped'] }) {
  const reasons = Object.entries(dropped).filter(([, count]) => count > 0)
  if (reasons.length === 0) return <>0</>
  return reasons.map(([reason, count]) => (
    <span key={reason} className="block font-medium text-bad">
      {formatCount(count)} <span className="font-normal">{reason.replaceAll('_', ' ')}</span>
    </span>
  ))
}
