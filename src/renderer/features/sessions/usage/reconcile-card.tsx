import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Card } from '../../../components/page.tsx'
import { formatCost, formatMoment, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'

type Reconciled = OperationOutput<'sessions.reconcile'>

/** Aspy's total compared with Claude Code's own, and why they differ. Renders nothing without another total. */
export function ReconcileCard({ sessionId }: { readonly sessionId: string }) {
  const { data } = useOperation('sessions.reconcile', { session_id: sessionId })
  if (!data) return null
  const rows = rowsOf(data)
  if (rows.length === 1 && data.explanation.length === 0) return null
  return (
    <Card title="Cost by source" note="the proxy compared with Claude Code’s own transcript">
      <dl className="grid grid-cols-[auto_auto_1fr] gap-x-6 gap-y-1.5 px-5 pb-4 text-small">
        {rows.map(({ name, cost, note }) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd className="text-right font-semibold">{cost}</dd>
            <dd className="text-soft">{note}</dd>
          </div>
        ))}
      </dl>
      {data.explanation.length > 0 && (
        <ul
          aria-label="Reasons for the difference"
          className="flex flex-col gap-1 border-t px-5 py-3 text-small text-soft"
        >
          {data.explanation.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

interface Row {
  readonly name: string
  readonly cost: string
  readonly note: string
}

function rowsOf({ ours, client, copied, only_wire: wire, only_transcript: transcript }: Reconciled): Row[] {
  const row = (name: string, cost: number, note: string): Row => ({ name, cost: formatCost(cost), note })
  return [
    row('Aspy', ours.cost_usd, plural(ours.calls, 'request')),
    ...(client === null ? [] : [row('Claude Code', client.cost_usd, `total as of ${formatMoment(client.at)}`)]),
    ...(copied.calls === 0
      ? []
      : [row('Copied', copied.cost_usd, 'requests copied from the session this one was forked from')]),
    ...(wire.calls === 0
      ? []
      : [row('Proxy only', wire.cost_usd, `${plural(wire.calls, 'request')}: titles, summaries, interrupted answers`)]),
    ...(transcript.calls === 0
      ? []
      : [
          row('Transcript only', transcript.cost_usd, `${plural(transcript.calls, 'request')} that bypassed the proxy`),
        ]),
  ]
}
