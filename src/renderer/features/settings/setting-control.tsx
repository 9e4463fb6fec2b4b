import { Toggle } from '../../components/button.tsx'
import type { Setting } from './queries.ts'
import { RowsControl } from './rows-control.tsx'
import { formOf } from './setting-form.ts'
import { TypedControl } from './typed-control.tsx'

interface ControlProps {
  readonly setting: Setting
  readonly label: string
  readonly isDisabled: boolean
  readonly onSave: (value: unknown) => void
}

/** The control for a setting's type. Switches and choices save at once; typed values save with Save or Enter. */
export function SettingControl({ setting, label, isDisabled, onSave }: ControlProps) {
  const form = formOf(setting)
  const value = 'next' in setting ? setting.next : setting.value
  switch (form.kind) {
    case 'switch':
      return <Switch label={label} isOn={value === true} isDisabled={isDisabled} onChange={onSave} />
    case 'choice':
      return (
        <select
          aria-label={label}
          value={String(value)}
          disabled={isDisabled}
          onChange={(event) => onSave(event.target.value)}
          className="h-8 rounded-small border border-line-strong bg-surface px-2 text-small text-ink disabled:opacity-60"
        >
          {form.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )
    case 'choices':
      return <Choices label={label} options={form.options} chosen={listOf(value)} {...{ isDisabled, onSave }} />
    case 'rows':
      return (
        <RowsControl
          label={label}
          columns={form.columns}
          rows={rowsOf(value)}
          isDisabled={isDisabled}
          onSave={onSave}
        />
      )
    default:
      return <TypedControl setting={setting} label={label} form={form} value={value} {...{ isDisabled, onSave }} />
  }
}

interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  readonly isDisabled: boolean
  readonly onChange: (isOn: boolean) => void
}

/** An on/off switch that shows its state by position and text as well as color. */
function Switch({ label, isOn, isDisabled, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={isDisabled}
      onClick={() => onChange(!isOn)}
      className="bar inline-flex h-8 items-center gap-2 rounded-full text-small disabled:opacity-50"
    >
      <span className="text-soft">{isOn ? 'on' : 'off'}</span>
      <span
        className={`flex h-5 w-9 items-center rounded-full border px-0.5 ${isOn ? 'justify-end border-accent bg-accent' : 'justify-start border-line-strong bg-hover'}`}
      >
        <span className={`size-3.5 rounded-full ${isOn ? 'bg-accent-ink' : 'bg-faint'}`} />
      </span>
    </button>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly options: readonly string[]
  readonly chosen: readonly string[]
  readonly isDisabled: boolean
  readonly onSave: (value: unknown) => void
}

function Choices({ label, options, chosen, isDisabled, onSave }: ChoicesProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5 min-[800px]:justify-end">
      {options.map((option) => {
        const isOn = chosen.includes(option)
        const next = isOn ? chosen.filter((other) => other !== option) : [...chosen, option]
        return (
          <Toggle key={option} on={isOn} disabled={isDisabled} onClick={() => onSave(next)}>
            {option}
          </Toggle>
        )
      })}
    </div>
  )
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
const rowsOf = (value: unknown) => (Array.isArray(value) ? (value as readonly Record<string, unknown>[]) : [])
