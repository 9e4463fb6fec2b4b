import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { PROJECT } from '../../lib/project-filter.ts'
import type { Column } from './setting-form.ts'
import { optionLabel } from './setting-labels.ts'
import { unitsOf } from './setting-units.ts'

/** Classes of a plain field or list. */
export const plainControl =
  'rounded-small border border-line-strong bg-surface px-2 text-small text-ink disabled:opacity-60 aria-invalid:border-bad'

interface RowFieldProps {
  readonly settingKey: string
  readonly column: Column
  readonly label: string
  /** False: the name is only read aloud. */
  readonly isLabelled: boolean
  readonly value: string | boolean
  readonly isDisabled: boolean
  /** ID of the text that says what is wrong; undefined if nothing is. */
  readonly problem: string | undefined
  readonly onChange: (value: string | boolean) => void
}

/** A field of a row, by the kind of its column. Folders of projects are proposed. */
export function RowField(props: RowFieldProps) {
  const { settingKey, column, label, isLabelled, value, isDisabled, problem, onChange } = props
  const { name, kind, options, isRequired } = column
  const list = useId()
  const unit = kind === 'number' ? unitsOf(name)[0]?.name : undefined
  const isFolder = name === 'project' || (!isLabelled && /(?:^|\.)(?:drop_)?projects$/.test(settingKey))
  const shared = {
    'aria-label': label,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem,
    disabled: isDisabled,
  }
  return (
    <label
      className={`w-full items-center gap-2 text-meta text-soft ${!isLabelled ? 'flex' : isFolder ? 'grid gap-y-0.5' : 'grid grid-cols-[minmax(6.5rem,10rem)_minmax(0,1fr)]'}`}
    >
      {isLabelled && <span>{label}</span>}
      {kind === 'switch' ? (
        <input
          {...shared}
          type="checkbox"
          className="justify-self-start"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      ) : kind === 'choice' ? (
        <select
          {...shared}
          className={`${plainControl} h-8 w-full`}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        >
          {!isRequired && <option value="">not set</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {optionLabel(settingKey, option)}
            </option>
          ))}
        </select>
      ) : (
        <span className="flex min-w-0 flex-1 items-center gap-1.5">
          {unit === '$' && '$'}
          <input
            {...shared}
            className={`${plainControl} h-8 w-full min-w-0 font-mono`}
            value={String(value)}
            title={String(value) || undefined}
            required={isRequired}
            list={isFolder ? list : undefined}
            inputMode={kind === 'number' ? 'decimal' : 'text'}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          {unit !== undefined && unit !== '$' && unit}
          {isFolder && <Folders id={list} />}
        </span>
      )}
    </label>
  )
}

/** The folders of the newest sessions, as proposals. */
function Folders({ id }: { readonly id: string }) {
  const { data = [] } = useQuery(PROJECT.values)
  return (
    <datalist id={id}>
      {data.map((folder) => (
        <option key={folder}>{folder}</option>
      ))}
    </datalist>
  )
}
