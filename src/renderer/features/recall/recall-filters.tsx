import type { ReactNode } from 'react'
import { Toggle } from '../../components/button.tsx'
import { ProjectSelect } from '../../components/project-select.tsx'
import { Select } from '../../components/select.tsx'
import { isRange, RANGE_LABELS, RANGES } from '../../lib/time-range.ts'
import { MATCH_LOOKS } from './match-type.tsx'
import { chosenKinds, HIT_KINDS, type RecallState, toggledKind } from './recall-search.ts'

const KIND_TYPES = {
  prompts: ['Prompts', 'user_prompt'],
  responses: ['Answers', 'assistant_response'],
  thinking: ['Thinking', 'thinking'],
  tools: ['Tools', 'tool'],
} as const

interface RecallFiltersProps {
  readonly state: RecallState
  readonly onChange: (state: RecallState) => void
  /** Shown beside the filters. */
  readonly help: ReactNode
}

/** Filters of a search: kinds, project, time and order. */
export function RecallFilters({ state, onChange, help }: RecallFiltersProps) {
  const chosen = chosenKinds(state.kinds)
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <div role="group" aria-label="Where to search" className="flex flex-wrap gap-1.5">
        {HIT_KINDS.map((kind) => {
          const [label, type] = KIND_TYPES[kind]
          const { icon: Icon, color } = MATCH_LOOKS[type]
          const on = chosen.includes(kind)
          return (
            <Toggle key={kind} on={on} onClick={() => onChange({ ...state, kinds: toggledKind(state.kinds, kind) })}>
              <Icon className={`size-3.5 ${on ? color : ''}`} aria-hidden />
              {label}
            </Toggle>
          )
        })}
      </div>
      {help}
      <div className="flex flex-wrap items-center gap-2">
        <ProjectSelect value={state.project} onChange={(project) => onChange({ ...state, project })} />
        <Select
          label="Order"
          value={state.order ?? ''}
          onChange={(value) => onChange({ ...state, order: value === 'time' ? 'time' : undefined })}
          options={[
            ['', 'Best match first'],
            ['time', 'Newest first'],
          ]}
        />
        <Select
          label="Time range"
          value={state.range ?? 'all'}
          onChange={(value) => onChange({ ...state, range: isRange(value) && value !== 'all' ? value : undefined })}
          options={RANGES.toReversed().map(
            (range) => [range, range === 'all' ? 'All time' : RANGE_LABELS[range]] as const,
          )}
        />
      </div>
    </div>
  )
}
