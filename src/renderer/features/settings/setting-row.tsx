import type { OperationOutput } from '../../../shared/contract/index.ts'
import { Badge } from '../../components/badge.tsx'

export type Setting = OperationOutput<'config.get'>['items'][number]

const ORIGINS = {
  flag: { label: 'command line', tone: 'accent' },
  environment: { label: 'environment', tone: 'accent' },
  file: { label: 'config.toml', tone: 'accent' },
  default: { label: 'default', tone: 'plain' },
} as const

/** One setting. */
export function SettingRow({ setting }: { setting: Setting }) {
  const origin = ORIGINS[setting.origin]
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 border-b py-3 last:border-0 min-[800px]:grid-cols-[minmax(0,1fr)_minmax(10rem,18rem)]">
      <div className="min-w-0">
        <p className="font-mono text-[0.8667rem] font-medium">{setting.key.split('.').slice(1).join('.')}</p>
        <p className="text-[0.8667rem] text-soft">{setting.description}</p>
      </div>
      <div className="flex flex-wrap content-start items-center gap-2 min-[800px]:justify-end">
        <code className="font-mono text-[0.8667rem] wrap-anywhere">{shown(setting.value)}</code>
        <Badge tone={origin.tone} title={`This value comes from: ${origin.label}`}>
          {origin.label}
        </Badge>
        {setting.applies === 'restart' && <Badge title="A change applies when Aspy starts anew">at next start</Badge>}
      </div>
    </li>
  )
}

function shown(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (value === '') return 'empty'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
