import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Health } from '../../../shared/contract/health.ts'
import { formatCount } from '../../lib/format.ts'

const NAMES: Readonly<Record<Health['sinks'][number]['name'], string>> = {
  session_log: 'Session logs',
  webhook: 'Webhook',
  otel: 'OpenTelemetry',
}

/** Where else events go: what was delivered, what waits, what was given up and why. */
export function Sinks({ sinks }: { sinks: Health['sinks'] }): ReactNode {
  if (sinks.length === 0)
    return (
      <p className="px-5 pb-4 text-small text-soft">
        Events go nowhere else.{' '}
        <Link to="/settings" search={{ q: 'webhook' }} className="underline">
          Settings
        </Link>{' '}
        can send them on.
      </p>
    )
  return (
    <div className="px-5 pb-4">
      <table className="w-full text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Sink</th>
            <th className="py-2 text-right font-medium">Delivered</th>
            <th className="py-2 text-right font-medium">Waiting</th>
            <th className="py-2 text-right font-medium">Given up</th>
          </tr>
        </thead>
        <tbody>
          {sinks.map((sink) => (
            <tr key={sink.name} className="border-b align-top last:border-0">
              <td className="py-2 pr-3">
                {NAMES[sink.name]}
                <span className="block font-mono text-meta wrap-anywhere text-faint">{sink.target}</span>
                {sink.problem !== null && (
                  <span className="block text-meta wrap-anywhere text-bad">{sink.problem}</span>
                )}
              </td>
              <td className="py-2 text-right">{formatCount(sink.delivered)}</td>
              <td className={`py-2 text-right ${sink.waiting > 0 ? 'text-warn' : 'text-soft'}`}>
                {formatCount(sink.waiting)}
              </td>
              <td className="py-2 text-right">
                <GivenUp dropped={sink.dropped} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function GivenUp({ dropped }: { dropped: Health['sinks'][number]['dropped'] }) {
  const reasons = Object.entries(dropped).filter(([, count]) => count > 0)
  if (reasons.length === 0) return <span className="text-soft">0</span>
  return reasons.map(([reason, count]) => (
    <span key={reason} className="block font-medium text-bad">
      {formatCount(count)} <span className="font-normal">{reason.replaceAll('_', ' ')}</span>
    </span>
  ))
}
