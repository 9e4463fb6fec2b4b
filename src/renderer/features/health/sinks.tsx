import type { ReactNode } from 'react'
import type { Health } from '../../../shared/contract/health.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { formatCount } from '../../lib/format.ts'

const NAMES: Readonly<Record<Health['sinks'][number]['name'], string>> = {
  session_log: 'Session logs',
  webhook: 'Webhook',
  otel: 'OpenTelemetry',
  team: 'Team',
}

const COLUMNS: readonly DataColumn[] = [
  { name: 'Sink' },
  { name: 'Delivered', isNumber: true },
  { name: 'Waiting', isNumber: true },
  { name: 'Not delivered', isNumber: true },
]

/** Other destinations of events: what was delivered, what waits, and what was given up and why. */
export function Sinks({ sinks }: { sinks: Health['sinks'] }): ReactNode {
  return (
    <DataTable columns={COLUMNS}>
      {sinks.map((sink) => (
        <DataRow key={sink.name}>
          <td className="py-2">
            {NAMES[sink.name]}
            <span className="block font-mono text-meta wrap-anywhere text-faint">{sink.target}</span>
            {sink.problem !== null && <span className="block text-meta wrap-anywhere text-bad">{sink.problem}</span>}
          </td>
          <NumberCell>{formatCount(sink.delivered)}</NumberCell>
          <NumberCell tone={sink.waiting > 0 ? 'warn' : 'soft'}>{formatCount(sink.waiting)}</NumberCell>
          <NumberCell>
            <Undelivered dropped={sink.dropped} />
          </NumberCell>
        </DataRow>
      ))}
    </DataTable>
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
