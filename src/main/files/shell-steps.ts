import { diffSteps } from './diff-steps.ts'
import { DOUBT, linesIn, onPath, targetsOf, type FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'
import { folderOf, movedSteps } from './moved-steps.ts'
import { sedSteps } from './sed-steps.ts'
import { shellCommands, type ShellCommand } from './shell-words.ts'

/** A command line that was run, and what came of it. */
export interface RunCommand {
  readonly command: string
  /** Where it was run, as far as that is known. */
  readonly folder: string | null
  readonly output: string
  /** null: it is not known how it ended. */
  readonly isSuccess: boolean | null
}

/** Programs that write no file of a project unless their output is redirected. */
const READS = new Set(
  `: [ alias basename cal cat cd cmp column comm cut date df diff dirname du echo egrep env expr false fgrep file fold grep head
   hexdump hostname id jq less ls lsof md5sum nl od paste pgrep printenv printf ps pwd readlink realpath rev rg seq sha1sum
   sha256sum sleep stat strings tac tail test tr tree true type uname uniq uptime wc which whoami`.split(/\s+/),
)
const GIT_READS = new Set(
  'blame cat-file config describe diff fetch for-each-ref grep log ls-files ls-remote ls-tree merge-base name-rev remote rev-list rev-parse shortlog show show-ref status add commit tag push'.split(
    ' ',
  ),
)
/** A longer output is cut by clients. */
const MAX_OUTPUT = 28_000

const FAILURE = /: (?:cannot |fatal: |error: )|No such file|denied|not found|^(?:fatal|error): /m

/** What a command line would do to files if all of it succeeds. */
interface Plan {
  readonly commands: readonly ShellCommand[]
  /** What it would write, without what it shows. */
  readonly writes: readonly FileStep[]
  /** Where it ends; null: not known. */
  readonly folder: string | null
  /** If it fails, nobody knows in which folder the rest of it ran. */
  readonly isLost: boolean
}

/** Returns what a command line would do in a folder; null if its text does not say it. */
export function planOf(line: string, begin: string | null): Plan | null {
  const commands = shellCommands(line)
  if (commands === null) return null
  let folder = begin
  const writes: FileStep[] = []
  for (const [at, command] of commands.entries()) {
    const [program, target = null] = command.words
    // In a loop, or behind a condition.
    if (program !== 'cd' && command.words.some((word) => /^(?:cd|pushd|popd)$/.test(word ?? ''))) folder = null
    if (program !== 'cd') {
      writes.push(...simpleSteps(command, commands[at - 1], folder))
      continue
    }
    const isKnown = command.words.length === 2 && target?.startsWith('-') === false && !command.isUncertain
    folder = isKnown && target !== null && !command.isPiped ? joinedPath(folder, target) : null
  }
  const isLost =
    commands.some(({ words }) => words[0] === 'cd') && commands.some(({ after }) => !/^(?:&&|)$/.test(after))
  return { commands, writes, folder, isLost }
}

/** Returns what a command line did to files as far as its text says; whatever else may have been written is in doubt. */
export function commandSteps(run: RunCommand): readonly FileStep[] {
  const plan = planOf(run.command, run.folder)
  if (plan === null) return [DOUBT]
  const { commands, writes, isLost } = plan
  // Only the last command's failure fails the line; of another one, its message says so.
  if (run.isSuccess !== true || (commands.length > 1 && FAILURE.test(run.output)))
    // A line that failed may have stopped anywhere.
    return isLost && writes.length > 0 ? [DOUBT] : writes.flatMap(doubts)
  const shown = shownFile(plan, run.folder)
  return shown === null ? [...writes, ...diffShown(plan, run)] : [...writes, ...shownSteps(shown, run.output)]
}

/** Returns the doubts that a step leaves that may not have been done. */
function doubts(step: FileStep): readonly FileStep[] {
  if (step.kind !== 'moved') return [{ kind: 'doubted', path: step.path }]
  return [...(step.isCopy ? [] : [step.path]), ...targetsOf(step)].map((path) => ({ kind: 'doubted', path }))
}

function simpleSteps(command: ShellCommand, before: ShellCommand | undefined, folder: string | null) {
  const [program] = command.words
  const changes = program === null ? [DOUBT] : program === undefined ? [] : programSteps(program, command, folder)
  const copied = copiedByCat(command, folder)
  const steps = copied ?? [...changes, ...outputSteps(command, before, folder)]
  return command.isUncertain ? steps.flatMap(doubts) : steps
}

/** `cat FILE > OTHER` copies. */
function copiedByCat({ words, outputs, isPiped }: ShellCommand, folder: string | null): readonly FileStep[] | null {
  const [program, file = null, ...others] = words
  const [output] = outputs
  if (program !== 'cat' || isPiped || file === null || file.startsWith('-') || others.length > 0) return null
  if (output === undefined || outputs.length > 1 || output.isAppended || output.target === null) return null
  const [path, to] = [joinedPath(folder, file), joinedPath(folder, output.target)]
  return path === null || to === null ? null : [{ kind: 'moved', path, to, isCopy: true, isSure: true }]
}

function programSteps(program: string, { words, patterns }: ShellCommand, folder: string | null): readonly FileStep[] {
  const others = words.slice(1)
  const isPath = (word: string | null) => word === null || !word.startsWith('-')
  const paths = others.filter(isPath)
  const globs = others.flatMap((word, at) => (isPath(word) ? [patterns.get(at + 1)] : []))
  const flags = others.filter((word) => word?.startsWith('-') === true).join(' ')
  switch (program) {
    case 'sed':
    case 'perl':
      return program === 'perl' ? [DOUBT] : sedSteps(others, folder)
    case 'find':
      return others.some((word) => word === null || /^-(?:delete|exec|execdir|ok|fprint)/.test(word)) ? [DOUBT] : []
    case 'sort':
      return /(?:^| )-o|--output/.test(flags) ? [DOUBT] : []
    case 'mkdir':
    case 'chmod':
      return []
    case 'touch':
      return flags === ''
        ? paths.map((path) => onPath(folder, path, (known) => ({ kind: 'appended', path: known, text: '' })))
        : paths.map((path) => onPath(folder, path, (known) => ({ kind: 'doubted', path: known })))
    case 'tee':
      return []
    case 'rm':
    case 'rmdir':
    case 'unlink':
      return paths.map((path, at) =>
        onPath(folder, path ?? folderOf(globs[at]), (known) => ({
          kind: path === null ? 'doubted' : 'deleted',
          path: known,
        })),
      )
    case 'mv':
    case 'cp':
      return movedSteps(paths, flags, folder, program === 'cp', globs)
    case 'git':
      return gitSteps(others, folder)
    default:
      return READS.has(program) ? [] : formattedSteps(words, folder)
  }
}

/** Returns the files that a formatter may have written: those that it is given, if it is run as usual. */
function formattedSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const line = words.map((word) => word ?? '').join(' ')
  const [head] =
    /^(?:(?:npx|pnpm exec|yarn|bunx) )?(?:prettier|oxfmt|black|isort|gofmt|ruff format|biome format) /.exec(line) ?? []
  const named = words.slice((head ?? '').split(' ').length - 1)
  const hasPlainFlags = named.every((word) => word !== null && (!word.startsWith('-') || FORMATS.test(word)))
  const files = named.filter((word) => word?.startsWith('-') === false)
  if (head === undefined || !hasPlainFlags || files.length === 0) return [DOUBT]
  return files.map((word) => onPath(folder, word, (path) => ({ kind: 'doubted', path })))
}

const FORMATS = /^(?:--write|-w|-l|--quiet|-q|--check|--list-different|--log-level=\w+)$/

/** What git takes from its own store is not in the record. */
function gitSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const [verb, ...rest] = words
  if (verb === undefined || verb === null || verb.startsWith('-')) return [DOUBT]
  const paths = rest.filter((word) => word === null || !word.startsWith('-'))
  const flags = rest.filter((word) => word?.startsWith('-') === true).join(' ')
  if (verb === 'mv') return movedSteps(paths, flags, folder, false)
  if (verb === 'rm' && !flags.includes('--cached'))
    return paths.map((path) => onPath(folder, path, (known) => ({ kind: 'deleted', path: known })))
  if ((verb === 'checkout' && rest.includes('--')) || verb === 'restore') {
    const named = verb === 'checkout' ? rest.slice(rest.indexOf('--') + 1) : paths
    if (named.length > 0 && !/source/.test(flags))
      return named.map((path) =>
        path === '.' ? DOUBT : onPath(folder, path, (known) => ({ kind: 'doubted', path: known })),
      )
  }
  if (verb === 'branch' || (verb === 'stash' && (rest[0] === 'list' || rest[0] === 'show'))) return []
  // Hooks of a commit may format files.
  return GIT_READS.has(verb) && verb !== 'commit' ? [] : [DOUBT]
}

function outputSteps(
  command: ShellCommand,
  before: ShellCommand | undefined,
  folder: string | null,
): readonly FileStep[] {
  const isTee = command.words[0] === 'tee'
  const [said, isFirst] = [isTee ? before : command, isTee ? before?.isFirst === true : !command.isPiped]
  const text = said !== undefined && isFirst ? textOf(said) : null
  return [...(isTee ? teeOutputs(command) : []), ...command.outputs].map(({ target, isAppended }) =>
    onPath(folder, target, (path): FileStep => {
      if (text === null) return { kind: 'doubted', path }
      return isAppended
        ? { kind: 'appended', path, text }
        : { kind: 'written', path, text, origin: 'derived', isExact: true }
    }),
  )
}

function teeOutputs({ words }: ShellCommand): ShellCommand['outputs'] {
  const isAppended = words.includes('-a')
  return words.slice(1).flatMap((target) => (target === '-a' ? [] : { target, isAppended }))
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
  return values.length === 0 && !/[%]|\\[^n]/.test(format) ? format.replaceAll('\\n', '\n') : null
}

/** Shells differ in what `echo` makes of a backslash. */
function echoed(said: readonly string[]): string | null {
  const isOpen = said[0] === '-n'
  const words = isOpen ? said.slice(1) : said
  if (words.some((word) => word.includes('\\') || /^-[neE]+$/.test(word))) return null
  return `${words.join(' ')}${isOpen ? '' : '\n'}`
}

const PART = /^(\d+),(\d+)p$/

/** What the client puts in the place of a part of an output that it leaves out, or behind it. */
const LEFT_OUT = /^<persisted-output>|^\.\.\. \[\d+ \w+ truncated\] \.\.\.$/m
const ASIDE = /\n*^Shell cwd was reset to .*$/m

/** Returns the only command of a line that may show a file, behind a `cd`. */
function showing({ commands }: Plan): ShellCommand | null {
  const command = commands.at(-1)
  const isAlone = commands.length === 1 || (commands.length === 2 && commands[0]?.words[0] === 'cd')
  return command === undefined || !isAlone || command.isPiped || command.outputs.length > 0 ? null : command
}

const isWhole = (output: string): boolean => output !== '' && output.length <= MAX_OUTPUT && !LEFT_OUT.test(output)

function diffShown(plan: Plan, { output, folder }: RunCommand): readonly FileStep[] {
  const [program, verb, ...args] = showing(plan)?.words ?? []
  const words = args.filter((word) => word !== null)
  if (program !== 'git' || verb !== 'diff' || words.length < args.length || !isWhole(output)) return []
  return diffSteps(words, plan.commands.length === 1 ? folder : plan.folder, output.replace(ASIDE, ''))
}

interface ShownFile {
  readonly path: string
  /** The number of the first line. */
  readonly from: number
  /** True if so many lines may be what was asked for. */
  isPart(count: number): boolean
}

/** Returns the file that a command line shows, if it is a single one. */
export function shownFile(plan: Plan, begin: string | null): ShownFile | null {
  const [program, ...args] = showing(plan)?.words ?? []
  const words = args.filter((word) => word !== null)
  const file = words.at(-1)
  const folder = plan.commands.length === 1 ? begin : plan.folder
  const path = file === undefined || words.length !== args.length ? null : joinedPath(folder, file)
  if (path === null) return null
  if (program === 'cat' && words.length === 1) return { path, from: 1, isPart: () => true }
  const most = Number(words.length === 3 && words[0] === '-n' ? words[1] : words[0]?.slice(1))
  if (program === 'head' && words.length > 1 && most > 0) return { path, from: 1, isPart: (count) => count <= most }
  const [, from, until] = PART.exec(words.length === 3 && words[0] === '-n' ? (words[1] ?? '') : '') ?? []
  if (program !== 'sed' || from === undefined) return null
  // The client cuts blank lines at the beginning off: with fewer lines than were asked for, nobody knows which they are.
  return { path, from: Number(from), isPart: (count) => count === Number(until) - Number(from) + 1 }
}

function shownSteps({ path, from, isPart }: ShownFile, printed: string): readonly FileStep[] {
  const output = printed.replace(ASIDE, '')
  if (!isWhole(printed) || output === '') return []
  const { lines, ending } = linesIn(output)
  if (!isPart(lines.length)) return []
  return [{ kind: 'shown', path, from, lines, isWhole: false, ending: ending === 'crlf' ? ending : null }]
}
