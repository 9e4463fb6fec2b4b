import { Link } from '@tanstack/react-router'
import { Settings } from 'lucide-react'
import type { WarningFix as Fix } from '../../../shared/contract/health.ts'
import { buttonClasses } from '../../components/button.tsx'
import { CommandLine } from '../../components/command-line.tsx'

/** Steps to resolve a warning, with the setting to open or the command to run. */
export function WarningFix({ fix }: { fix: Fix }) {
  return (
    <div className="mt-2 flex max-w-2xl flex-col items-start gap-2.5 pl-6.5">
      <p className="text-soft">{fix.text}</p>
      {fix.kind === 'setting' && (
        <Link
          to="/settings"
          search={{ q: fix.key === null ? fix.section : `${fix.section}.${fix.key}` }}
          className={buttonClasses()}
        >
          <Settings className="size-4" aria-hidden /> Open {fix.key ?? `[${fix.section}]`} in Settings
        </Link>
      )}
      {fix.kind === 'command' && (
        <div className="w-full">
          <CommandLine command={fix.command} />
        </div>
      )}
    </div>
  )
}
