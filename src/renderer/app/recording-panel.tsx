import type { Health } from '../../shared/contract/health.ts'
import { AspyCommand } from '../components/command-line.tsx'
import { Dialog } from '../components/dialog.tsx'
import { formatMoment } from '../lib/format.ts'
import { useOperation } from '../lib/operation.ts'
import { recordingOf } from '../lib/recording.ts'

/** Commands that end recording, and what each does. */
const COMMANDS = [
  ['stop', 'Stops the app: clients go on, unrecorded, until Aspy is started again.'],
  ['off', 'Clients that start from now on are not recorded, until you set Aspy up again.'],
] as const

/** Says since when Aspy records, and how to switch it off. */
export function RecordingPanel({ onClose }: { readonly onClose: () => void }) {
  const { data: health } = useOperation('health.get', {})
  return (
    <Dialog label="Recording" onClose={onClose} className="w-[min(30rem,94vw)]">
      <div className="flex flex-col gap-4 p-5 text-small">
        <h2 className="font-medium">{health === undefined ? 'Aspy does not answer' : sentenceOf(health)}</h2>
        {COMMANDS.map(([args, does]) => (
          <div key={args}>
            <p className="mb-1 text-soft">{does}</p>
            <AspyCommand args={args} />
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function sentenceOf(health: Pick<Health, 'recorder' | 'status' | 'started_at'>): string {
  const recording = recordingOf(health)
  if (recording === 'off') return 'Recording is off in Settings'
  return recording === 'failed'
    ? 'Not recording; Health says why'
    : `Recording since ${formatMoment(health.started_at)}`
}
