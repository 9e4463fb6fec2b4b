import { useQuery } from '@tanstack/react-query'
import type { Control, Values } from '../lib/filters.ts'
import { useQueryText } from '../lib/use-query-text.ts'
import { Toggle } from './button.tsx'
import { FIELD, Select } from './select.tsx'

interface FilterBarProps<Field extends string> {
  readonly controls: readonly Control<Field>[]
  readonly state: { readonly [Name in Field]?: unknown }
  readonly onChange: (change: { readonly [Name in Field]?: never }) => void
  /** Values of a select that only the view knows. */
  readonly values?: { readonly [Name in Field]?: readonly string[] }
}

/** The controls that filter a list. */
export function FilterBar<Field extends string>({ controls, state, onChange, values }: FilterBarProps<Field>) {
  return controls.map((control) => (
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
      options={[['', all], ...known.map((option) => [option, name(option)] as const)]}
    />
  )
}

const NONE: readonly string[] = []
const NOTHING: Values = { queryKey: [], enabled: false }

function Typed({ control: { kind, label, title }, value, onChange }: TextProps) {
  const [text, setText] = useQueryText(value, onChange)
  return (
    <input
      type={kind}
      aria-label={label}
      placeholder={label}
      title={title}
      value={text}
      onChange={({ target }) => setText(target.value)}
      className={`h-8 max-w-44 ${FIELD}`}
    />
  )
}
