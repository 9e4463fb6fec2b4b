import type { Health } from '../../../shared/contract/health.ts'
import { formatBytes, formatDuration, formatMoment, formatShare, plural } from '../../lib/format.ts'
import { Facts, FoldedCard } from './folded-card.tsx'

const RECORDERS = {
  running: 'running',
  restarting: 'restarting',
  spooling: 'keeps events in a file until the database can be written',
  failed: 'failed',
  off: 'off',
}

/** How the recorder does, for people who look for a fault. */
export function RecorderCard({ health }: { health: Health }) {
  const { recorder, recorder_restarts: restarts, queue_bytes, max_queue_bytes, archive } = health
  const state = `${RECORDERS[recorder]}, ${restarts === 0 ? 'never restarted' : plural(restarts, 'restart')}`
  const share = formatShare(queue_bytes / Math.max(1, max_queue_bytes))
  return (
    <FoldedCard title="Recorder" note={state} isOpen={recorder !== 'running' && recorder !== 'off'}>
      <Facts
        facts={[
          ['Queue', `${formatBytes(queue_bytes)}, ${share} of ${formatBytes(max_queue_bytes)}`],
          ...(health.commit_lag_ms === null
            ? []
            : [['Write delay', `${formatDuration(health.commit_lag_ms)} from arrival to disk`] as const]),
          ...(health.spooled > 0
            ? [['Kept in a file', `${plural(health.spooled, 'event')}, until the database can be written`] as const]
            : []),
          ...(archive === null
            ? []
            : [
                [
                  'Archives',
                  `${formatBytes(archive.bytes)}; last run ${formatMoment(archive.ran_at)}: ${plural(archive.events_moved, 'event')} moved`,
                ] as const,
              ]),
        ]}
      />
    </FoldedCard>
  )
}
