import { Plus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { errorMessage } from '../../../shared/error-text.ts'
import { Button } from '../../components/button.tsx'
import { plainControl, RowField } from './row-field.tsx'
import {
  type Column,
  type ControlProps,
  type Fault,
  faultIn,
  parseJson,
  parseTyped,
  type Row,
  rowsOf,
  type RowsShape,
  valueOf,
  valueOfRows,
} from './setting-form.ts'
import { columnLabel } from './setting-labels.ts'

/** Of rows with more columns, empty ones after these show only on request. */
const MANY_COLUMNS = 6

/** A row as typed: a boolean for a switch, text for every other field. */
type Draft = Readonly<Record<string, string | boolean>>

interface RowsControlProps extends ControlProps {
  readonly columns: readonly Column[]
  readonly shape: RowsShape
}

/** Edits a list: fields for each row, buttons to add and remove rows, one save. A wrong value says at its field what is right. */
export function RowsControl({ setting, label, columns, shape, isDisabled, onSave }: RowsControlProps) {
  const settingKey = setting.key
  const saved = rowsOf(valueOf(setting), shape).map((row) => draftOf(row, columns))
  const [drafts, setDrafts] = useState<readonly Draft[]>(saved)
  const [isTried, setTried] = useState(false)
  const isChanged = JSON.stringify(drafts) !== JSON.stringify(saved)
  const { value, fault } = check(settingKey, drafts, columns, shape)
  const change = (at: number, draft: Draft) => setDrafts(drafts.map((old, index) => (index === at ? draft : old)))
  const place = (at: number) => (shape === 'table' ? [] : shape === 'pairs' ? [drafts[at]?.['key']] : [at])
  // A row that nobody has typed in yet is not wrong, only empty.
  const empty = JSON.stringify(draftOf({}, columns))
  const faultOf = (at: number) =>
    isChanged &&
    (isTried || JSON.stringify(drafts[at]) !== empty) &&
    fault !== null &&
    place(at).every((part, index) => fault.path[index] === part)
      ? fault
      : null
  return (
    <form
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(fault !== null)
        if (fault === null) onSave(value)
      }}
    >
      {drafts.map((draft, at) => (
        <DraftRow
          // Unsaved rows have no identity.
          // oxlint-disable-next-line react/no-array-index-key
          key={at}
          {...{ settingKey, columns, shape, draft, isDisabled }}
          label={`${label}, ${at + 1}`}
          fault={faultOf(at)}
          onChange={(next) => change(at, next)}
          onRemove={() => setDrafts(drafts.filter((_, index) => index !== at))}
        />
      ))}
      {isChanged && fault !== null && fault.path.length === 0 && shape !== 'table' && (
        <p role="alert" className="text-meta text-bad">
          {fault.words}
        </p>
      )}
      <div className="flex justify-end gap-2">
        {shape !== 'table' && (
          <Button disabled={isDisabled} onClick={() => setDrafts([...drafts, draftOf({}, columns)])}>
            <Plus className="size-3.5" aria-hidden /> Add
          </Button>
        )}
        {isChanged && (
          <>
            <Button
              look="ghost"
              onClick={() => {
                setDrafts(saved)
                setTried(false)
              }}
            >
              Cancel
            </Button>
            <Button look="primary" type="submit" disabled={isDisabled}>
              Save
            </Button>
          </>
        )}
      </div>
    </form>
  )
}

interface DraftRowProps extends Omit<RowsControlProps, 'setting' | 'onSave'> {
  readonly settingKey: string
  readonly draft: Draft
  readonly fault: Fault | null
  readonly onChange: (draft: Draft) => void
  readonly onRemove: () => void
}

function DraftRow({ settingKey, label, columns, shape, draft, fault, isDisabled, onChange, onRemove }: DraftRowProps) {
  const [opened, setOpened] = useState<readonly string[]>([])
  const problem = useId()
  const isLong = columns.length > MANY_COLUMNS
  const isShown = ({ name, isRequired }: Column, at: number) =>
    !isLong || at < MANY_COLUMNS || isRequired || opened.includes(name) || (draft[name] !== '' && draft[name] !== false)
  const hidden = columns.filter((column, at) => !isShown(column, at))
  const isOne = shape === 'texts'
  const wrong = fault?.path.at(-1)
  return (
    <fieldset className={isOne ? 'flex flex-col gap-1' : 'flex flex-col gap-1.5 rounded-small border p-2.5'}>
      <legend className="sr-only">{label}</legend>
      <div className={isOne ? 'flex items-center gap-1.5' : 'contents'}>
        {columns.filter(isShown).map((column) => (
          <RowField
            key={column.name}
            settingKey={settingKey}
            column={column}
            label={isOne ? label : columnLabel(settingKey, column.name)}
            isLabelled={!isOne}
            value={draft[column.name] ?? ''}
            isDisabled={isDisabled}
            problem={fault !== null && (wrong === column.name || isOne) ? problem : undefined}
            onChange={(value) => onChange({ ...draft, [column.name]: value })}
          />
        ))}
        {isOne && (
          <Button look="ghost" size="icon" disabled={isDisabled} aria-label={`Remove ${label}`} onClick={onRemove}>
            <Trash2 className="size-3.5" aria-hidden />
          </Button>
        )}
      </div>
      {fault !== null && (
        <p role="alert" id={problem} className="text-meta text-bad">
          {columns.some(({ name }) => name === wrong) && !isOne && `${columnLabel(settingKey, String(wrong))}: `}
          {fault.words}
        </p>
      )}
      {!isOne && shape !== 'table' && (
        <div className="flex flex-wrap justify-end gap-2">
          {hidden.length > 0 && (
            <select
              aria-label={`Add a field to ${label}`}
              value=""
              disabled={isDisabled}
              onChange={(event) => setOpened([...opened, event.target.value])}
              className={`${plainControl} h-8`}
            >
              <option value="">Add a field…</option>
              {hidden.map(({ name }) => (
                <option key={name} value={name}>
                  {columnLabel(settingKey, name)}
                </option>
              ))}
            </select>
          )}
          <Button look="ghost" disabled={isDisabled} onClick={onRemove}>
            <Trash2 className="size-3.5" aria-hidden /> Remove
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function draftOf(row: Row, columns: readonly Column[]): Draft {
  return Object.fromEntries(
    columns.map(({ name, kind, options, isRequired }) => {
      const value = row[name]
      if (kind === 'switch') return [name, value === true]
      if (value === undefined) return [name, kind === 'choice' && isRequired ? (options[0] ?? '') : '']
      return [name, kind === 'json' ? JSON.stringify(value) : String(value)]
    }),
  )
}

/** Returns the value that drafts have, and what is wrong with it. */
function check(key: string, drafts: readonly Draft[], columns: readonly Column[], shape: RowsShape) {
  const rows: Row[] = []
  for (const [at, draft] of drafts.entries()) {
    const row: Record<string, unknown> = {}
    for (const { name, kind, isRequired } of columns) {
      const typed = draft[name]
      if (!isRequired && (typed === '' || typed === false)) continue
      try {
        row[name] =
          kind === 'number' ? parseTyped(String(typed), { kind }) : kind === 'json' ? parseJson(String(typed)) : typed
      } catch (error) {
        const path = shape === 'table' ? [name] : shape === 'pairs' ? [draft['key'] as string, name] : [at, name]
        return { value: undefined, fault: { path, words: errorMessage(error) } }
      }
    }
    rows.push(row)
  }
  const value = valueOfRows(rows, shape)
  return { value, fault: faultIn(key, value) }
}
