import { DOUBT, doubtOf, type FileStep } from './file-step.ts'
import { movedSteps } from './moved-steps.ts'
import { flagsIn, type ShellWord } from './shell-words.ts'

/** Flags that change neither what is copied nor where to. */
const COPIES: Readonly<Record<string, RegExp>> = {
  install: /^(?:-[DvCp]+ ?)*$/,
  rsync: /^(?:(?:-[avzrtpqhPc]+|--archive|--quiet|--verbose|--progress) ?)*$/,
}
const TAKE_VALUE: Readonly<Record<string, RegExp>> = { install: /^-[mog]$/, truncate: /^(?:-s|--size)$/ }
/** Of `ed`: another file that is read or written, or a command that is run. */
const LEAVES_FILE = /^[^a-z\n]*[a-z]?(?:!|[weWEfr] +\S)/m

/** Returns what programs did that copy or change the files that they name, each in words of its own. */
export function copyingSteps(
  program: string,
  words: readonly ShellWord[],
  text: ShellWord,
  folder: string | null,
): readonly FileStep[] {
  if (program === 'dd')
    return words.flatMap((word) =>
      word === null ? DOUBT : word.startsWith('of=') ? doubtOf(folder, word.slice(3)) : [],
    )
  const takesValue = (at: number) => TAKE_VALUE[program]?.test(words[at] ?? '') === true
  const named = words.filter((_, at) => !takesValue(at) && !takesValue(at - 1))
  const { isFlag, flags } = flagsIn(named)
  const paths = named.filter((_, at) => !isFlag(at))
  const plain = COPIES[program]
  if (plain !== undefined) {
    const isElsewhere = paths.some((path) => path?.includes(':') !== false) || paths.length < 2
    return isElsewhere || !plain.test(flags) ? [DOUBT] : movedSteps(paths, '', folder, true)
  }
  if (program === 'ed' && (text === null || LEAVES_FILE.test(text))) return [DOUBT]
  return paths.map((path) => doubtOf(folder, path))
}
