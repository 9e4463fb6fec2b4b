import { Toggle } from '../../components/button.tsx'
import { RowsControl } from './rows-control.tsx'
import { plainControl } from './row-field.tsx'
import { type ControlProps, formOf, valueOf } from './setting-form.ts'
import { optionLabel } from './setting-labels.ts'
import { TypedControl } from './typed-control.tsx'

/** The control for a setting's type. Switches and choices save at once; typed values save with Save or Enter. */
export function SettingControl(props: ControlProps) {
  const { setting, label, isDisabled, onSave } = props
  const form = formOf(setting)
  const value = valueOf(setting)
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
      return <Choices {...props} options={form.options} />
    case 'rows':
      return <RowsControl {...props} columns={form.columns} shape={form.shape} />
    default:
      return <TypedControl {...props} form={form} />
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

interface ChoicesProps extends ControlProps {
  readonly options: readonly string[]
}

function Choices({ setting, label, options, isDisabled, onSave }: ChoicesProps) {
  const value = valueOf(setting)
  const chosen = Array.isArray(value) ? value.map(String) : []
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
