import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Setting, useSetSetting } from './queries.ts'
import { SettingControl } from './setting-control.tsx'
import { formOf } from './setting-form.ts'
import { settingLabel } from './setting-labels.ts'
import { formDescription } from './setting-units.ts'
import { WithdrawDialog } from './withdraw-dialog.tsx'

const ORIGINS = {
  flag: { label: 'command line', tone: 'accent' },
  environment: { label: 'environment', tone: 'accent' },
  file: { label: 'changed', tone: 'accent' },
  default: { label: 'default', tone: 'plain' },
} as const

interface SettingRowProps {
  readonly setting: Setting
  /** Its key is only a tooltip. */
  readonly hidesKey?: boolean
  /** Its state. */
  readonly children?: ReactNode
}

/** One setting with its description, control, origin and the result of the last change. */
export function SettingRow({ setting, hidesKey = false, children }: SettingRowProps) {
  const save = useSetSetting(setting.key)
  const origin = ORIGINS[setting.origin]
  const name = settingLabel(setting.key)
  const form = formOf(setting)
  const description = formDescription(
    setting.description,
    setting.next ?? setting.value,
    form.kind === 'choice' ? form.options : [],
  )
  const isLocked = setting.origin === 'flag' || setting.origin === 'environment'
  const isWaiting = 'next' in setting
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-2 border-b py-3.5 last:border-0 min-[800px]:grid-cols-[minmax(0,1fr)_minmax(14rem,24rem)]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="text-small font-medium" title={setting.key}>
            {name}
          </span>
          {setting.origin !== 'default' && (
            <Badge
              tone={origin.tone}
              title={setting.origin === 'file' ? 'Set in config.toml' : `Set by the ${origin.label}`}
            >
              {origin.label}
            </Badge>
          )}
          {isWaiting ? (
            <Badge tone="warn" title={`Current value: ${JSON.stringify(setting.value)}`}>
              changed; applies at the next start
            </Badge>
          ) : (
            setting.applies === 'restart' && (
              <span className="text-micro text-faint" title="Changes apply when Aspy restarts">
                applies at the next start
              </span>
            )
          )}
        </p>
        {description !== `${name}.` && <p className="mt-0.5 text-small text-soft">{description}</p>}
        {!hidesKey && <code className="font-mono text-micro text-faint">{setting.key}</code>}
        {children}
        {isLocked && (
          <p className="mt-0.5 text-meta text-faint">
            {setting.origin === 'flag' ? 'Set on the command line' : `Set by ${setting.variable}`}. Change it there.
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-2 min-[800px]:items-end">
        <SettingControl
          // A saved value resets the typed text.
          key={JSON.stringify(setting.next ?? setting.value)}
          setting={setting}
          label={name}
          isDisabled={isLocked || save.isPending}
          onSave={(value) => save.mutate(value)}
        />
        {(save.data?.withdrawable ?? 0) > 0 && (
          <WithdrawDialog sessions={save.data?.withdrawable ?? 0} onClose={save.reset} />
        )}
        {save.error && (
          <p role="alert" className="text-meta wrap-anywhere text-bad">
            {save.error.message}
          </p>
        )}
        {setting.origin === 'file' && (
          <Button look="ghost" disabled={save.isPending} onClick={() => save.mutate(null)}>
            <RotateCcw className="size-3.5" aria-hidden />
            <span className="sr-only">{name}:</span> Reset to default
          </Button>
        )}
      </div>
    </li>
  )
}
