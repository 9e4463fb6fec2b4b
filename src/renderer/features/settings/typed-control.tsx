import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { Setting } from './queries.ts'
import { type ControlProps, faultIn, parseTyped, type SettingForm, typedOf, valueOf } from './setting-form.ts'
import { bestUnit, faultOf, type Unit, unitsOf, zeroWord } from './setting-units.ts'
import { errorMessage } from '../../../shared/error-text.ts'

interface TypedControlProps extends ControlProps {
  readonly form: SettingForm
}

const FIELD =
  'w-full rounded-small border bg-surface px-2.5 font-mono text-small text-ink disabled:opacity-60 aria-invalid:border-bad'

/** A field for a text or a number with its unit. Input is checked at once and saved with Save or Enter. */
export function TypedControl({ setting, label, form, isDisabled, onSave }: TypedControlProps) {
  const value = valueOf(setting)
  const units = form.kind === 'number' ? unitsOf(setting.key) : []
  const first = typeof value === 'number' ? bestUnit(value, units) : undefined
  const zero = form.kind === 'number' ? zeroWord(setting.description) : undefined
  const saved =
    typeof value !== 'number'
      ? typedOf(value, form)
      : value === 0 && zero !== undefined
        ? ''
        : String(value / (first?.factor ?? 1))
  const [text, setText] = useState(saved)
  const [unit, setUnit] = useState(first)
  const problem = useId()
  const { parsed, fault } = check(text.trim() === '' && zero !== undefined ? '0' : text, form, setting, unit)
  const isChanged = text !== saved || unit?.name !== first?.name
  return (
    <form
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (fault === null) onSave(parsed)
      }}
    >
      {form.kind === 'json' ? (
        <textarea
          aria-label={`${label}, as JSON`}
          rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
          className={`${FIELD} border-line-strong py-1.5`}
          value={text}
          disabled={isDisabled}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <span className="flex items-center gap-2">
          {unit?.name === '$' && <span className="text-small text-soft">$</span>}
          <input
            aria-label={unit === undefined || units.length > 1 ? label : `${label}, in ${unit.name}`}
            aria-invalid={fault !== null}
            aria-describedby={fault === null ? undefined : problem}
            inputMode={form.kind === 'number' ? 'decimal' : 'text'}
            className={`${FIELD} h-8 border-line-strong`}
            placeholder={zero}
            value={text}
            disabled={isDisabled}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
          {units.length > 1 ? (
            <select
              aria-label={`Unit of ${label}`}
              value={unit?.name}
              disabled={isDisabled}
              onChange={(event) => setUnit(units.find(({ name }) => name === event.target.value))}
              className="h-8 shrink-0 rounded-small border border-line-strong bg-surface px-1.5 text-small text-ink"
            >
              {units.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          ) : (
            unit !== undefined && unit.name !== '$' && <span className="text-small text-soft">{unit.name}</span>
          )}
        </span>
      )}
      {fault !== null && (
        <p role="alert" id={problem} className="text-meta text-bad">
          {fault}
        </p>
      )}
      {isChanged && (
        <div className="flex justify-end gap-2">
          <Button
            look="ghost"
            onClick={() => {
              setText(saved)
              setUnit(first)
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={isDisabled || fault !== null}>
            Save
          </Button>
        </div>
      )}
    </form>
  )
}

/** Parses the input and compares it with the bounds and the schema of the setting. */
function check(text: string, form: SettingForm, setting: Setting, unit: Unit | undefined) {
  try {
    const typed = parseTyped(text, form)
    const parsed = typeof typed === 'number' ? Number((typed * (unit?.factor ?? 1)).toPrecision(15)) : typed
    const fault = faultOf(parsed, setting.form, unit?.factor === 1 ? unit.name : '')
    return { parsed, fault: fault ?? faultIn(setting.key, parsed)?.words ?? null }
  } catch (error) {
    return { parsed: undefined, fault: errorMessage(error) }
  }
}
