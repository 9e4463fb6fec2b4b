import { typedAspy } from '../lib/typed-aspy.ts'
import { CopyButton } from './copy-button.tsx'

/** A command of Aspy with a copy button, as it can be typed on the machine that runs Aspy. */
export const AspyCommand = ({ args }: { args: string }) => <CommandLine command={`${typedAspy()} ${args}`} />

/** Longer options of a command may be broken. */
const MAX_WHOLE = 20

/** A terminal command, all of it at every width, with a copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex min-w-0 items-start gap-2 rounded-small border bg-sunken py-1 pr-1 pl-3 text-left">
      <code className="min-w-0 flex-1 py-0.5 font-mono text-small wrap-anywhere text-ink">
        <span className="text-faint select-none">$ </span>
        {command.split(/( )/).map((word, at) => (
          // A line may end within a long path, but not within an option such as `--`.
          <span key={at} className={word.startsWith('-') && word.length <= MAX_WHOLE ? 'whitespace-nowrap' : ''}>
            {word}
          </span>
        ))}
      </code>
      <CopyButton text={command} notice="Copied the command" name={`Copy the command ${command}`} />
    </div>
  )
}
