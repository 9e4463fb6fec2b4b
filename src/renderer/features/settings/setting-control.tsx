import { Toggle } from '../../components/button.tsx'
import type { Setting } from './queries.ts'
import { RowsControl } from './rows-control.tsx'
import { plainControl } from './row-field.tsx'
import { formOf, rowsOf } from './setting-form.ts'
import { optionLabel } from './setting-labels.ts'
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
          className={`${plainControl} h-8 max-w-full`}
        >
          {form.options.map((option) => (
            <option key={option} value={option}>
              {optionLabel(setting.key, option)}
            </option>
          ))}
        </select>
      )
    case 'choices':
      return <Choices {...{ setting, label, isDisabled, onSave }} options={form.options} chosen={listOf(value)} />
    case 'rows':
      return (
        <RowsControl
          settingKey={setting.key}
          columns={form.columns}
          shape={form.shape}
          rows={rowsOf(value, form.shape)}
          {...{ label, isDisabled, onSave }}
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
  readonly setting: Setting
  readonly label: string
  readonly options: readonly string[]
  readonly chosen: readonly string[]
  readonly isDisabled: boolean
  readonly onSave: (value: unknown) => void
}

function Choices({ setting, label, options, chosen, isDisabled, onSave }: ChoicesProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5 min-[800px]:justify-end">
      {options.map((option) => {
        const isOn = chosen.includes(option)
        const next = isOn ? chosen.filter((other) => other !== option) : [...chosen, option]
        return (
          <Toggle key={option} on={isOn} disabled={isDisabled} onClick={() => onSave(next)}>
            {optionLabel(setting.key, option)}
          </Toggle>
        )
      })}
    </div>
  )
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
