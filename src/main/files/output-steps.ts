import { onPath, type FileStep } from './file-step.ts'
import type { ShellCommand } from './shell-words.ts'

/** Returns what a command wrote to the files that its output went to. `before`: what it reads. */
export function outputSteps(
  command: ShellCommand,
  before: ShellCommand | undefined,
  folder: string | null,
): readonly FileStep[] {
  const isTee = command.words[0] === 'tee'
  const [said, isFirst] = [isTee ? before : command, isTee ? before?.isFirst === true : !command.isPiped]
  const all = said !== undefined && isFirst ? textOf(said) : null
  const outputs = [...(isTee ? teeOutputs(command) : []), ...command.outputs]
  return outputs.map(({ target, isAppended, isAside }, at) =>
    onPath(folder, target, (path): FileStep => {
      // Of several files, the last one gets what is written.
      const text = all !== null && !isTee && at < outputs.length - 1 ? '' : all
      if (text === null || isAside || (!isTee && outputs.some((one) => one.isAside))) return { kind: 'doubted', path }
      return isAppended
        ? { kind: 'appended', path, text }
        : { kind: 'written', path, text, origin: 'derived', isExact: true }
    }),
  )
}

function teeOutputs({ words }: ShellCommand): ShellCommand['outputs'] {
  const isAppended = words.some((word) => /^-\w*a|^--append$/.test(word ?? ''))
  return words
    .slice(1)
    .flatMap((target) => (target?.startsWith('-') === true ? [] : { target, isAppended, isAside: false }))
}

/** Returns the text that a command prints, if its own words say so. */
function textOf({ words, text, outputs }: ShellCommand): string | null {
  const [program, ...args] = words
  // What it writes to a file, no other command gets.
  if (program === 'cat' && args.every((word) => word === '-')) return outputs.length > 1 ? null : text
  if (program === ':' || (program === undefined && words.length === 0)) return ''
  if (args.some((word) => word === null)) return null
  const said = args.map((word) => word ?? '')
  if (program === 'echo') return echoed(said)
  if (program !== 'printf') return null
  const [format = '', ...values] = said
  // A value may be the beginning of a secret that was removed, its form as well.
  if (/^(?:%s\\n|%s)$/.test(format) && values.length > 0)
    return values.map((value) => `${value}${format === '%s' ? '' : '\n'}`).join('')
  if (values.length > 0 || /%|\\(?![nrt])/.test(format)) return null
  return format.replaceAll(/\\([nrt])/g, (_, sign: string) => SIGNS[sign] ?? '')
}

const SIGNS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Shells differ in what `echo` makes of a backslash. */
function echoed(said: readonly string[]): string | null {
  const isOpen = said[0] === '-n'
  const words = isOpen ? said.slice(1) : said
  if (words.some((word) => word.includes('\\') || /^-[neE]+$/.test(word))) return null
  return `${words.join(' ')}${isOpen ? '' : '\n'}`
}
