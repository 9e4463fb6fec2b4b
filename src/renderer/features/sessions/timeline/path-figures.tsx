import { Toggle } from '../../../components/button.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { type CriticalPath, type PathKind, pathTotals } from './critical-path.ts'

const NAMES: Readonly<Record<PathKind, string>> = {
  model: 'model',
  tool: 'tools',
  agent: 'agents',
  pause: 'between steps',
}

interface PathFiguresProps {
  readonly path: CriticalPath
  readonly isCut: boolean
  /** Only items on the path are shown. */
  readonly isAlone: boolean
  readonly onAlone: (isAlone: boolean) => void
}

/** The length of a turn's critical path, its time by activity, and a switch that hides everything else. */
export function PathFigures({ path, isCut, isAlone, onAlone }: PathFiguresProps) {
  // The moments that the client takes between steps say nothing.
  const said = pathTotals(path).filter(([kind, ms]) => kind !== 'pause' || ms * 100 >= path.lengthMs)
  const totals = said.map(([kind, durationMs]) => `${NAMES[kind]} ${formatDuration(durationMs)}`)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Toggle
        on={isAlone}
        title="The chain of responses, tools and agents that decided how long the turn took. Click to show nothing else (p)"
        onClick={() => onAlone(!isAlone)}
      >
        Critical path {formatDuration(path.lengthMs)}
      </Toggle>
      <span
        className="text-meta text-soft max-[700px]:hidden"
        title="Between steps: permissions, retries and the client’s own work"
      >
        {totals.join(' · ')}
        {isCut && ' · of the first events only'}
      </span>
    </span>
  )
}
