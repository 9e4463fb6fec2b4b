import { Unplug } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { CommandLine } from '../components/command-line.tsx'
import { currentConnection, subscribeConnection } from '../lib/connection.ts'
import { formatMoment } from '../lib/format.ts'
import { useLiveSnapshot } from '../lib/live/live-context.tsx'
import { startCommand } from '../lib/typed-aspy.ts'

/** Banner on every view when the app does not answer, with the age of the data and how to start the app again. */
export function ConnectionBanner() {
  const connection = useSyncExternalStore(subscribeConnection, currentConnection)
  if (connection.status !== 'lost') return null
  return <Lost since={connection.since} />
}

function Lost({ since }: { since: number }) {
  const { lastEventAt } = useLiveSnapshot()
  const command = startCommand()
  const last = lastEventAt === null ? '' : ` Last event: ${formatMoment(lastEventAt)}.`
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-bad bg-bad-soft px-4 py-2 text-small"
    >
      <p className="flex min-w-0 items-center gap-2 text-ink">
        <Unplug className="size-4 shrink-0 text-bad" aria-hidden />
        <span>
          <strong className="font-semibold text-bad">
            Connection lost at {formatMoment(new Date(since).toISOString())}.
          </strong>
          {last} {command === '' ? 'Open Aspy again to continue.' : 'If Aspy is not running, start it:'}
        </span>
      </p>
      {command !== '' && (
        <div className="max-w-full min-w-0 flex-1 basis-60 sm:max-w-md">
          <CommandLine command={command} />
        </div>
      )}
      <p className="text-meta text-soft">This page reconnects automatically.</p>
    </div>
  )
}
