import { Link } from '@tanstack/react-router'
import { Settings } from 'lucide-react'
import { buttonClasses } from '../../components/button.tsx'
import { CommandLine } from '../../components/command-line.tsx'
import { fixSteps } from './fix-steps.ts'

/** What mends a warning: its words, and beneath them the setting to open or the command to run. */
export function WarningFix({ code, fix, data }: { code: string; fix: string; data: string }) {
  const { words, section, command } = fixSteps(code, fix, data)
  return (
    <div className="mt-2 flex max-w-2xl flex-col items-start gap-2.5 pl-6.5">
      {words !== null && <p className="text-soft">{words}</p>}
      {section !== null && (
        <Link to="/settings" search={{ q: section }} className={buttonClasses()}>
          <Settings className="size-4" aria-hidden /> Open [{section}] in Settings
        </Link>
      )}
      {command !== null && (
        <div className="w-full">
          <CommandLine command={command} />
        </div>
      )}
    </div>
  )
}
