import { useQuery } from '@tanstack/react-query'
import { type Control, distinctName, type Values } from '../lib/filters.ts'
import { useQueryText } from '../lib/use-query-text.ts'
import { Toggle } from './button.tsx'
import { FIELD, Select } from './select.tsx'

interface FilterBarProps<Field extends string> {
  readonly filters: { readonly controls: readonly Control<Field>[] }
  readonly state: { readonly [Name in Field]?: unknown }
  readonly onChange: (change: { readonly [Name in Field]?: never }) => void
  /** Values of a select that only the view knows. */
  readonly values?: { readonly [Name in Field]?: readonly string[] }
}

/** The controls that filter a list. Renders nothing if the list has no filters. */
export function FilterBar<Field extends string>({ filters, state, onChange, values }: FilterBarProps<Field>) {
  return filters.controls.map((control) => (
    <Filter
      key={control.field}
      control={control}
      value={state[control.field]}
      values={values?.[control.field]}
      // The value is one that the field may have.
      onChange={(value) => onChange({ [control.field]: value } as Partial<Record<Field, never>>)}
    />
  ))
}

interface FilterProps {
  readonly control: Control
  readonly value: unknown
  readonly onChange: (value: string | true | undefined) => void
  readonly values?: readonly string[] | undefined
}

function Filter({ value, ...props }: FilterProps) {
  const { kind, label, title, icon: Icon } = props.control
  const text = typeof value === 'string' ? value : ''
  if (kind === 'select') return <Choice {...props} value={text} />
  if (kind !== 'toggle') return <Typed {...props} value={text} />
  return (
    <Toggle on={value === true} title={title} onClick={() => props.onChange(value === true ? undefined : true)}>
      {Icon && <Icon className="size-3.5" aria-hidden />} {label}
    </Toggle>
  )
}

type TextProps = FilterProps & { readonly value: string }

/** A filter by one of some values. Renders nothing while there is nothing to choose. */
function Choice({ control, value, onChange, values }: TextProps) {
  const { label, all = '', name = (text: string) => text, least = 2, values: own = NONE } = control
  const recorded = useQuery('queryKey' in own ? own : NOTHING).data ?? NONE
  const given = values ?? ('queryKey' in own ? recorded : own)
  const known = value === '' || given.includes(value) ? given : [...given, value]
  if (known.length < least && value === '') return null
  return (
    <Select
      label={label}
      value={value}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
      options={[['', all], ...known.map((option) => [option, distinctName(option, known, name)] as const)]}
    />
  )
}

const NONE: readonly string[] = []
const NOTHING: Values = { queryKey: [], enabled: false }

/** A text filter. Input that the operation would refuse is marked and not applied. */
function Typed({ control: { kind, label, title, takes }, value, onChange }: TextProps) {
  const isTaken = (text: string | undefined) => text === undefined || text === '' || takes(text)
  const [text, setText] = useQueryText(value, (typed) => {
    if (isTaken(typed)) onChange(typed)
  })
  return (
    <input
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      aria-label={label}
      aria-invalid={!isTaken(text)}
      placeholder={label}
      title={isTaken(text) ? title : `Not applied: ${label} cannot be ${text}`}
      value={text}
      onChange={({ target }) => setText(target.value)}
      className={`h-8 w-32 aria-invalid:border-bad ${FIELD}`}
    />
  )
}
