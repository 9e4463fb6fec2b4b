import type { ReactNode } from 'react'
import { Bot, CircleX, Star, X } from 'lucide-react'
import type { ListedSession } from '../../../../shared/contract/sessions.ts'
import { Button, Toggle } from '../../../components/button.tsx'
import { ProjectSelect } from '../../../components/project-select.tsx'
import { Select } from '../../../components/select.tsx'
import { formatMoment, plural } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { useTags } from './use-tags.ts'
import { useOperation } from '../../../lib/operation.ts'
import { clientLabel, modelName } from '../../../../shared/vendors.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { SESSION_DAYS, SESSION_SORTS, type SessionSort, type SessionsSearch } from './sessions-search.ts'

interface SessionsFiltersProps {
  readonly search: SessionsSearch
  readonly onChange: (change: SessionsSearch) => void
  /** The sessions on screen, whose branches can be chosen. */
  readonly sessions: readonly ListedSession[]
}

const SORT_NAMES: Readonly<Record<SessionSort, string>> = {
  started: 'Started',
  active: 'Duration',
  prompts: 'Prompts',
  tools: 'Tool calls',
  errors: 'Errors',
  failures: 'Failures',
  tokens: 'Tokens',
  cost: 'Cost',
}

const NONE: SessionsSearch = {
  starred: undefined,
  failed: undefined,
  agents: undefined,
  client: undefined,
  model: undefined,
  branch: undefined,
  tag: undefined,
  project: undefined,
  when: undefined,
  from: undefined,
  to: undefined,
}

/** Filters of the list, all of them in the address. */
export function SessionsFilters({ search, onChange, sessions }: SessionsFiltersProps) {
  const { data: summary } = useOperation('stats.summary', {}, { freshMs: 60_000 })
  const models = (summary?.by_model ?? []).map(({ model }) => model)
  const clients = (summary?.by_client ?? []).map(({ client }) => client)
  const tags = useTags()
  const branches = [...new Set(sessions.flatMap(({ git_branch: branch }) => branch ?? []))].sort()
  const chosen = Object.fromEntries(
    Object.keys(NONE).map((name) => [name, search[name as keyof SessionsSearch]]),
  ) as SessionsSearch
  // Both ends of a span are one filter.
  const count = Object.entries(chosen).filter(([name, value]) => name !== 'to' && value !== undefined).length
  const clear = () => {
    onChange(NONE)
    notify(`Cleared ${plural(count, 'filter')}`, 'good', () => onChange(chosen))
  }
  return (
    <div className="px-6 pb-2 max-[700px]:px-4">
      <div className="one-line items-center gap-2" role="group" aria-label="Filters">
        <YesNo name="starred" search={search} onChange={onChange}>
          <Star className="size-3.5" aria-hidden /> Starred
        </YesNo>
        <YesNo name="failed" search={search} onChange={onChange} title="With API errors or failed tool calls">
          <CircleX className="size-3.5" aria-hidden /> With failures
        </YesNo>
        <YesNo name="agents" search={search} onChange={onChange} title="With subagents">
          <Bot className="size-3.5" aria-hidden /> With agents
        </YesNo>
        <ProjectSelect value={search.project} onChange={(project) => onChange({ project })} />
        <Among name="model" all="All models" values={models} search={search} onChange={onChange} label={modelName} />
        <Among name="branch" all="All branches" values={branches} search={search} onChange={onChange} />
        <Among name="tag" all="All tags" values={tags} search={search} onChange={onChange} least={1} />
        <Among
          name="client"
          all="All clients"
          values={clients}
          search={search}
          onChange={onChange}
          label={(client) => visibleText(clientLabel(client))}
        />
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
        <Select
          label="Sort"
          value={search.sort ?? ''}
          onChange={(value) => onChange({ sort: SESSION_SORTS.find((sort) => sort === value) })}
          options={[
            ['', 'By last activity'],
            ...SESSION_SORTS.map((sort) => [sort, `By ${SORT_NAMES[sort].toLowerCase()}`] as const),
          ]}
        />
        {search.from !== undefined && (
          <Toggle on title="Show any time" onClick={() => onChange({ from: undefined, to: undefined })}>
            {formatMoment(search.from)} to {search.to === undefined ? 'now' : formatMoment(search.to)}
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

interface YesNoProps extends Pick<SessionsFiltersProps, 'search' | 'onChange'> {
  readonly name: 'starred' | 'failed' | 'agents'
  readonly title?: string
  readonly children: ReactNode
}

function YesNo({ name, search, onChange, title, children }: YesNoProps) {
  const isOn = search[name] === 'yes'
  return (
    <Toggle on={isOn} title={title} onClick={() => onChange({ [name]: isOn ? undefined : 'yes' })}>
      {children}
    </Toggle>
  )
}

interface AmongProps extends Pick<SessionsFiltersProps, 'search' | 'onChange'> {
  readonly name: 'model' | 'branch' | 'tag' | 'client'
  readonly all: string
  readonly values: readonly string[]
  readonly label?: (value: string) => string
  /** Fewer values are no choice. */
  readonly least?: number
}

/** A filter by one of some values. Renders nothing while there is nothing to choose. */
function Among({ name, all, values, search, onChange, label = (value) => value, least = 2 }: AmongProps) {
  const chosen = search[name]
  const known = chosen === undefined || values.includes(chosen) ? values : [...values, chosen]
  if (known.length < least && chosen === undefined) return null
  return (
    <Select
      label={name[0]?.toUpperCase() + name.slice(1)}
      value={chosen ?? ''}
      onChange={(value) => onChange({ [name]: value === '' ? undefined : value })}
      options={[['', all], ...known.map((value) => [value, label(value)] as const)]}
    />
  )
}
