import { shellQuoted } from '../base/shell-quoted.ts'
import { typedCommand } from '../base/typed-command.ts'

/** Returns the command that starts this app again the way it was started, to type in any folder. */
export function startCommand(given: readonly string[] = process.argv.slice(2), typed: string = typedCommand()): string {
  const words = given.filter((word, at) => !isForPrograms(word) && given[at - 1] !== '--leave-after')
  return [typed, ...words.map((word) => shellQuoted(word))].join(' ')
}

/** Flags of an app that another command started in the background. */
const isForPrograms = (word: string) => word === '--json' || /^--leave-after(?:=|$)/.test(word)
