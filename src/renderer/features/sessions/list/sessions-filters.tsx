import { X } from 'lucide-react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button, Toggle } from '../../../components/button.tsx'
import { FilterBar } from '../../../components/filters.tsx'
import { Select } from '../../../components/select.tsx'
import { formatSpan, plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { SESSION_DAYS, SESSION_FILTERS, type SessionsSearch } from './sessions-search.ts'

interface SessionsFiltersProps {
  readonly search: SessionsSearch
  readonly onChange: (change: SessionsSearch) => void
  /** The sessions on screen, whose branches can be chosen. */
  readonly sessions: readonly Session[]
}

const FIELDS = SESSION_FILTERS.controls.map((control) => control.field)
const NAMES = [...FIELDS, 'when', 'from', 'to'].filter((name) => name !== 'sort') as (keyof SessionsSearch)[]
const NONE: SessionsSearch = Object.fromEntries(NAMES.map((name) => [name, undefined]))

/** Filters of the list, all of them in the address. */
export function SessionsFilters({ search, onChange, sessions }: SessionsFiltersProps) {
  const branch = [...new Set(sessions.flatMap(({ git_branch: name }) => name ?? []))].sort()
  const chosen: SessionsSearch = Object.fromEntries(NAMES.map((name) => [name, search[name]]))
  // Both ends of a span are one filter.
  const count = NAMES.filter((name) => name !== 'to' && search[name] !== undefined).length
  const clear = () => {
    onChange(NONE)
    notify(`Cleared ${plural(count, 'filter')}`, 'good', () => onChange(chosen))
  }
  return (
    <div className="px-6 pb-2 max-[700px]:px-4">
      <div className="one-line items-center gap-2" role="group" aria-label="Filters">
        <FilterBar filters={SESSION_FILTERS} state={search} onChange={onChange} values={{ branch }} />
        <Select
          label="When"
          value={search.when ?? ''}
          onChange={(value) => onChange({ when: SESSION_DAYS.find((days) => days === value) })}
          options={[
            ['', 'Any time'],
            ['today', 'Today'],
            ['yesterday', 'Yesterday'],
            ['7d', 'Last 7 days'],
            ['30d', 'Last 30 days'],
            ['month', 'This month'],
          ]}
        />
        {search.from !== undefined && (
          <Toggle on title="Show any time" onClick={() => onChange({ from: undefined, to: undefined })}>
            {formatSpan(search.from, search.to)}
            <X className="size-3.5" aria-hidden />
          </Toggle>
        )}
        {count > 0 && (
          <Button look="ghost" size="small" onClick={clear}>
            {count === 1 ? 'Clear filter' : `Clear ${count} filters`}
          </Button>
        )}
      </div>
    </div>
  )
}
