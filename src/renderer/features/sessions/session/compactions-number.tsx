import { FoldVertical } from 'lucide-react'
import { useCommands } from '../../../lib/commands.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { useCompactions } from './use-compactions.ts'
import { Figure } from './figure.tsx'

interface CompactionsNumberProps {
  readonly sessionId: string
  /** The event in the address. */
  readonly current: string | undefined
  readonly onOpen: (uuid: string) => void
}

/**
 * The compactions of a session. Each click opens the next one with its dropped texts. Renders nothing if there are
 * none.
 */
export function CompactionsNumber({ sessionId, current, onOpen }: CompactionsNumberProps) {
  const compactions = useCompactions(sessionId) ?? []
  const next = compactions[(compactions.findIndex(({ uuid }) => uuid === current) + 1) % compactions.length]
  const open = () => {
    if (next !== undefined) onOpen(next.uuid)
  }
  useCommands(
    'This session',
    next === undefined
      ? []
      : [{ id: 'session:compaction', icon: FoldVertical, name: 'Go to the next compaction', run: open }],
  )
  if (next === undefined) return null
  return (
    <Figure label="Compactions">
      <button
        type="button"
        onClick={open}
        aria-label={`${plural(compactions.length, 'compaction')}: see what was dropped`}
        title="Go to the next compaction and what it dropped"
        className="-my-0.5 min-h-6 min-w-6 rounded-small text-left text-k-compaction underline decoration-dotted underline-offset-4 hover:decoration-solid"
      >
        {formatCount(compactions.length)}
        <span className="min-[700px]:hidden">{compactions.length === 1 ? ' compaction' : ' compactions'}</span>
      </button>
    </Figure>
  )
}
