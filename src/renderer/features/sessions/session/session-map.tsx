import { memo, useMemo } from 'react'
import { heightsOf, type MapTick, positionIn, ticksOf } from './map-ticks.ts'
import { promptOfTurn, type ShownPlace, useShownPlace } from './shown-place.ts'
import { useCompactions } from './use-compactions.ts'
import type { Failure } from './use-failures.ts'
import { useOperation } from '../../../lib/operation.ts'

interface SessionMapProps {
  readonly sessionId: string
  readonly shown: ShownPlace
  readonly failures: readonly Failure[]
  readonly onOpen: (uuid: string) => void
}

const LOOKS: Readonly<Record<MapTick['kind'], string>> = {
  prompt: 'right-0.5 h-px w-2 bg-line-strong',
  compaction: 'right-0.5 h-[3px] w-3 bg-k-compaction',
  // A lane of their own.
  failure: 'left-0.5 h-[3px] w-1 bg-bad',
}
const NAMES: Readonly<Record<MapTick['kind'], string>> = {
  prompt: 'Prompt',
  compaction: 'Compaction',
  failure: 'Error',
}

/**
 * The whole session as a strip next to the transcript: prompts, compactions and failures, and the part that is on
 * screen. A click goes to the tick nearest to it. The outline and the keys offer the same without a pointer.
 */
export function SessionMap({ sessionId, shown, failures, onOpen }: SessionMapProps) {
  const prompts = useOperation('prompts.search', { session_id: sessionId }).data?.items
  const compactions = useCompactions(sessionId)
  const place = useShownPlace(shown)
  const turns = useOperation('sessions.usage', { session_id: sessionId }).data?.turns
  const heights = useMemo(() => heightsOf(prompts ?? [], turns ?? []), [prompts, turns])
  const ticks = useMemo(
    () => ticksOf(prompts ?? [], { compactions: compactions ?? [], failures }, heights),
    [prompts, compactions, failures, heights],
  )
  if (ticks.length < 2 || prompts === undefined) return null
  const here = place === null ? null : positionIn(prompts, promptOfTurn(prompts, place.turn), place.time, heights)
  return (
    <div
      aria-hidden
      data-session-map
      className="relative w-4 shrink-0 cursor-pointer border-l max-[560px]:hidden"
      onClick={(event) => {
        const { top, height } = event.currentTarget.getBoundingClientRect()
        const at = (event.clientY - top) / height
        const nearest = ticks.toSorted((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at))[0]
        if (nearest) onOpen(nearest.uuid)
      }}
    >
      <Ticks ticks={ticks} />
      {here !== null && (
        <span
          className="absolute inset-x-0 h-1.5 -translate-y-1/2 rounded-small bg-accent/60"
          style={{ top: `${here * 100}%` }}
        />
      )}
    </div>
  )
}

/** The ticks, which do not change while the visible part moves. */
const Ticks = memo(function Ticks({ ticks }: { readonly ticks: readonly MapTick[] }) {
  return ticks.map((tick) => (
    <span
      key={tick.uuid}
      title={NAMES[tick.kind]}
      className={`absolute rounded-full ${LOOKS[tick.kind]}`}
      style={{ top: `${tick.at * 100}%` }}
    />
  ))
})
