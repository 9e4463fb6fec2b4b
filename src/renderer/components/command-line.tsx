import { typedAspy } from '../lib/typed-aspy.ts'
import { CopyButton } from './copy-button.tsx'

/** A command of Aspy with a copy button, as it can be typed on the machine that runs Aspy. */
export function AspyCommand({ args }: { args: string }) {
  return <CommandLine command={`${typedAspy()} ${args}`} />
}

/** A terminal command with a copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex min-w-0 items-center gap-2 rounded-small border bg-sunken py-1 pr-1 pl-3 text-left">
      <code className="min-w-0 flex-1 truncate font-mono text-small text-ink" title={command}>
        <span className="text-faint select-none">$ </span>
        {command}
      </code>
      <CopyButton text={command} notice="Copied the command" name={`Copy the command ${command}`} />
    </div>
  )
}
