import { User, Users } from 'lucide-react'
import { Segments } from '../components/segments.tsx'
import { history, showHistory } from '../lib/history.ts'
import { useOperation } from '../lib/operation.ts'

const OPTIONS = [
  { value: 'mine', name: 'Mine', title: 'What this machine recorded' },
  { value: 'team', name: 'Team', title: "The team's history" },
] as const

/** Switches between this machine's history and the team's. Only shown to members of a team. */
export function HistorySwitch() {
  const { data } = useOperation('team.get', {})
  // It remains in the team's history, so that nobody is stuck there after leaving the team.
  if (history === 'mine' && (data === undefined || data.team === null || data.is_server)) return null
  const other = history === 'mine' ? 'team' : 'mine'
  const Icon = history === 'mine' ? User : Users
  return (
    <>
      <div className="mb-3 hidden min-[1180px]:block">
        <Segments label="History" options={OPTIONS} value={history} onChange={showHistory} />
      </div>
      <button
        type="button"
        onClick={() => showHistory(other)}
        aria-label={history === 'mine' ? "Show the team's history" : 'Show my history'}
        title={history === 'mine' ? "Mine: switch to the team's history" : 'Team: switch to my history'}
        className={`bar mb-3 flex h-9 items-center justify-center rounded-small border min-[1180px]:hidden ${history === 'team' ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-hover'}`}
      >
        <Icon className="size-4" aria-hidden />
      </button>
    </>
  )
}
