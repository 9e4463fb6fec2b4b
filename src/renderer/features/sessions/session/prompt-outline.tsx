import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { memo, useEffect, useMemo, useRef } from 'react'
import { type FailureCounts, formatFailures } from '../../../../shared/failures.ts'
import { KindIcon } from '../../../components/event-kind.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import { columnDollars } from '../../../lib/axis.ts'
import { formatMoment } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { promptText } from '../../../lib/snippet.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useTurnMarks } from './session-marks.ts'
import { promptOfTurn, type ShownPlace, useShownPlace } from './shown-place.ts'

type OutlinePrompt = OperationOutput<'prompts.search'>['items'][number]

interface PromptOutlineProps {
  readonly sessionId: string
  readonly current: string | undefined
  /** Visible part of the transcript; the outline follows it. */
  readonly shown: ShownPlace
  /** By turn. */
  readonly failures: ReadonlyMap<number, FailureCounts>
  readonly onOpen: (uuid: string) => void
}

/**
 * A list of the session's prompts to jump to, with `j` and `k` for next and previous. It follows the transcript, and marks
 * failures, compactions and the cost of each turn.
 */
export function PromptOutline({ sessionId, current, shown, failures, onOpen }: PromptOutlineProps) {
  const { data } = useOperation('prompts.search', { session_id: sessionId })
  const prompts = data?.items ?? []
  const marks = useTurnMarks(sessionId)
  const dollars = useMemo(() => columnDollars([...marks.values()].map(({ costUsd }) => costUsd)), [marks])
  const place = useShownPlace(shown)
  const position =
    place === null ? prompts.findIndex((prompt) => prompt.uuid === current) : promptOfTurn(prompts, place.turn)
  const move = (by: number) => {
    const next = prompts[Math.max(0, Math.min(prompts.length - 1, position + by))]
    if (next) onOpen(next.uuid)
  }
  const list = useRef<VirtualListHandle>(null)
  useEffect(() => {
    if (position >= 0) list.current?.scrollTo(position)
  }, [position])
  useHotkeys({ j: () => move(1), k: () => move(-1) })
  return (
    <VirtualList
      ref={list}
      role="navigation"
      label="Prompts of this session"
      items={prompts}
      keyOf={(prompt) => prompt.uuid}
      estimate={() => 54}
      className="hidden w-60 shrink-0 border-r px-3 py-3 min-[1240px]:block min-[2000px]:w-80"
      rowProps={() => ({ className: 'pb-0.5' })}
      before={<h2 className="label px-2 pb-2">Prompts</h2>}
    >
      {(prompt, index) => {
        const { costUsd = null, compactions = 0 } = marks.get(prompt.turn_id) ?? {}
        return (
          <OutlineRow
            prompt={prompt}
            number={prompt.prompt_number ?? index + 1}
            isCurrent={index === position}
            cost={costUsd === null ? null : dollars(costUsd)}
            compactions={compactions}
            failures={failures.get(prompt.turn_id)}
            onOpen={onOpen}
          />
        )
      }}
    </VirtualList>
  )
}

interface OutlineRowProps {
  readonly prompt: OutlinePrompt
  readonly number: number
  readonly isCurrent: boolean
  readonly cost: string | null
  readonly compactions: number
  readonly failures: FailureCounts | undefined
  readonly onOpen: (uuid: string) => void
}

/** One prompt. Its colors change at once: animations would run constantly while the transcript scrolls. */
const OutlineRow = memo(function OutlineRow(props: OutlineRowProps) {
  const { prompt, number, isCurrent, cost, compactions, failures, onOpen } = props
  return (
    <button
      type="button"
      onClick={() => onOpen(prompt.uuid)}
      aria-current={isCurrent ? 'true' : undefined}
      title={formatMoment(prompt.timestamp)}
      className={`flex w-full gap-2.5 rounded-small px-2 py-1.5 text-left text-small ${
        isCurrent ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-hover hover:text-ink'
      }`}
    >
      <span className={`min-w-5 shrink-0 text-right ${isCurrent ? '' : 'text-faint'}`}>{number}</span>
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 wrap-anywhere">{visibleText(promptText(prompt.content))}</span>
        <span className={`flex items-center gap-2 text-micro ${isCurrent ? '' : 'text-faint'}`}>
          {cost !== null && <span className="tabular-nums">{cost}</span>}
          {compactions > 0 && (
            <span role="img" aria-label="Compacted in this turn" title="Compacted in this turn">
              <KindIcon kind="compaction" className="size-3" />
            </span>
          )}
        </span>
      </span>
      <FailureTick failures={failures} />
    </button>
  )
})

/** Marks a turn in which something failed. */
function FailureTick({ failures }: { readonly failures: FailureCounts | undefined }) {
  if (failures === undefined) return null
  const text = `Failed in this turn: ${formatFailures(failures)}`
  return (
    <span role="img" aria-label={text} title={text} className="mt-1.5 ml-auto size-1.5 shrink-0 rounded-full bg-bad" />
  )
}
