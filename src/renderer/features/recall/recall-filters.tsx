import { useState } from 'react'
import { Toggle } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters.tsx'
import { Select } from '../../components/select.tsx'
import { MATCH_LOOKS } from './match-type.tsx'
import { SyntaxExamples, SyntaxHelp } from './syntax-help.tsx'
import {
  chosenKinds,
  HIT_KINDS,
  RECALL_FILTERS,
  type RecallState,
  toggledKind,
  whenOf,
  WHENS,
} from './recall-search.ts'

const KIND_TYPES = {
  prompts: ['Prompts', 'user_prompt'],
  responses: ['Answers', 'assistant_response'],
  thinking: ['Thinking', 'thinking'],
  tools: ['Tools', 'tool'],
} as const

interface RecallFiltersProps {
  readonly state: RecallState
  readonly onChange: (state: RecallState) => void
  /** Tries an example of the search syntax. */
  readonly onTry: (query: string) => void
}

/** Filters of a search: kinds, project, time and order. On one line that scrolls in a narrow window. */
export function RecallFilters({ state, onChange, onTry }: RecallFiltersProps) {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const chosen = chosenKinds(state.kinds)
  return (
    <div className="flex flex-col gap-2">
      <div className="one-line items-center justify-between gap-2">
        <div role="group" aria-label="Where to search" className="flex gap-1.5">
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
        <SyntaxHelp isOpen={isHelpOpen} onOpen={setHelpOpen} />
        <div className="flex items-center gap-2">
          <FilterBar filters={RECALL_FILTERS} state={state} onChange={(change) => onChange({ ...state, ...change })} />
          <WhenSelect value={state.range} onChange={(range) => onChange({ ...state, range })} />
        </div>
      </div>
      {isHelpOpen && <SyntaxExamples onTry={onTry} />}
    </div>
  )
}

interface WhenSelectProps {
  readonly value: RecallState['range']
  readonly onChange: (range: RecallState['range']) => void
}

/** Narrows a search to a time. */
export const WhenSelect = ({ value, onChange }: WhenSelectProps) => (
  <Select label="Time range" value={value ?? 'all'} onChange={(chosen) => onChange(whenOf(chosen))} options={WHENS} />
)
