import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Column, parseJson, parseTyped } from './setting-form.ts'
import { errorMessage } from '../../../shared/error-text.ts'

const NUMBER = { kind: 'number' } as const

type Row = Readonly<Record<string, unknown>>
/** A row as typed: a boolean for a switch, text for every other field. */
type Draft = Readonly<Record<string, string | boolean>>

interface RowsControlProps {
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly isDisabled: boolean
  readonly onSave: (rows: readonly Row[]) => void
}

/** Edits a list of tables: fields for each row, buttons to add and remove rows, one save. */
export function RowsControl({ label, columns, rows, isDisabled, onSave }: RowsControlProps) {
  const [drafts, setDrafts] = useState(() => rows.map((row) => draftOf(row, columns)))
  const [fault, setFault] = useState<string | null>(null)
  const isChanged = JSON.stringify(drafts) !== JSON.stringify(rows.map((row) => draftOf(row, columns)))
  const change = (at: number, name: string, value: string | boolean) =>
    setDrafts(drafts.map((draft, index) => (index === at ? { ...draft, [name]: value } : draft)))

  function save() {
    try {
      setFault(null)
      onSave(drafts.map((draft) => rowOf(draft, columns)))
    } catch (error) {
      setFault(errorMessage(error))
    }
  }

  return (
    <form
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      {drafts.map((draft, at) => (
        // Unsaved rows have no identity.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={at} className="flex flex-col gap-1.5 rounded-small border p-2.5">
          <legend className="sr-only">{`${label}, ${at + 1}`}</legend>
          {columns.map((column) => (
            <Field
              key={column.name}
              column={column}
              value={draft[column.name] ?? ''}
              isDisabled={isDisabled}
              onChange={(value) => change(at, column.name, value)}
            />
          ))}
          <Button
            look="ghost"
            className="self-end"
            disabled={isDisabled}
            onClick={() => setDrafts(drafts.filter((_, index) => index !== at))}
          >
            <Trash2 className="size-3.5" aria-hidden /> Remove
          </Button>
        </fieldset>
      ))}
      {fault !== null && (
        <p role="alert" className="text-meta text-bad">
          {fault}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button disabled={isDisabled} onClick={() => setDrafts([...drafts, draftOf({}, columns)])}>
          <Plus className="size-3.5" aria-hidden /> Add
        </Button>
        {isChanged && (
          <Button look="primary" type="submit" disabled={isDisabled}>
            Save
          </Button>
        )}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly column: Column
  readonly value: string | boolean
  readonly isDisabled: boolean
  readonly onChange: (value: string | boolean) => void
}

function Field({ column: { name, kind, isRequired }, value, isDisabled, onChange }: FieldProps) {
  const hint = kind === 'json' ? ' (JSON)' : ''
  return (
    <label className="grid grid-cols-[6rem_minmax(0,1fr)] items-center gap-2 text-meta text-soft">
      {`${name.replaceAll('_', ' ')}${hint}`}
      {kind === 'switch' ? (
        <input
          type="checkbox"
          className="justify-self-start"
          checked={value === true}
          disabled={isDisabled}
          onChange={(event) => onChange(event.target.checked)}
        />
      ) : (
        <input
          className="h-7 w-full rounded-small border border-line-strong bg-surface px-2 font-mono text-ink"
          value={String(value)}
          required={isRequired}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          disabled={isDisabled}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  )
}

function draftOf(row: Row, columns: readonly Column[]): Draft {
  return Object.fromEntries(
    columns.map(({ name, kind }) => {
      const value = row[name]
      if (kind === 'switch') return [name, value === true]
      return [name, value === undefined ? '' : kind === 'json' ? JSON.stringify(value) : String(value)]
    }),
  )
}

/** Converts a draft to a row, without its empty fields. */
function rowOf(draft: Draft, columns: readonly Column[]): Row {
  return Object.fromEntries(
    columns.flatMap(({ name, kind, isRequired }) => {
      const value = draft[name]
      if (!isRequired && (value === '' || value === false)) return []
      if (kind === 'number') return [[name, parseTyped(String(value), NUMBER)]]
      return [[name, kind === 'json' ? parseJson(String(value)) : value]]
    }),
  )
}
