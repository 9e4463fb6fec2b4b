import { copyingSteps } from './copying-steps.ts'
import { diffSteps } from './diff-steps.ts'
import { DOUBT, doubtOf, linesIn, onPath, targetsOf, type FileStep } from './file-step.ts'
import { gitSteps } from './git-steps.ts'
import { joinedPath } from './joined-path.ts'
import { folderOf, movedSteps } from './moved-steps.ts'
import { outputSteps } from './output-steps.ts'
import { perlSteps, sedSteps } from './sed-steps.ts'
import { flagsIn, shellCommands, type ShellCommand } from './shell-words.ts'

/** A command line that was run, and what came of it. */
export interface RunCommand {
  readonly command: string
  /** Where it was run, as far as that is known. */
  readonly folder: string | null
  readonly output: string
  /** The client put words of its own around the output. */
  readonly isFramed: boolean
  /** null: it is not known how it ended. */
  readonly isSuccess: boolean | null
}

/** Programs that write no file of a project unless their output is redirected. */
const READS = new Set(
  `: [ alias basename cal cat cd cmp column comm cut date df diff dirname du echo egrep expr false fgrep file fold grep head
   hexdump hostname id jq less ls lsof md5sum nl od paste pgrep printenv printf ps pwd readlink realpath rev rg seq sha1sum
   sha256sum sleep stat strings tac tail test tr tree true type uname uptime wait wc which whoami`.split(/\s+/),
)
/** A longer output is cut by clients. */
const MAX_OUTPUT = 28_000

const FAILURE =
  /: (?:cannot |fatal: |error: )|[Nn]o such file|denied|not found|no matches|^(?:fatal|error|\(eval\)|(?:\/\S*\/)?(?:ba|z|da)?sh):/m
/** Nothing that follows need run. */
const LEAVES = new Set<string | null | undefined>(['exit', 'return', 'exec', 'break', 'continue', 'logout'])

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
  let isOver = false
  for (const [at, command] of commands.entries()) {
    const [program, target = null] = command.words
    isOver ||= LEAVES.has(program)
    // In a loop, or behind a condition.
    if (program !== 'cd' && command.words.some((word) => /^(?:cd|pushd|popd)$/.test(word ?? ''))) folder = null
    if (program !== 'cd') {
      const steps = simpleSteps(command, commands[at - 1], folder)
      writes.push(...(isOver ? steps.flatMap(doubts) : steps))
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
  if (run.isSuccess !== true || (commands.length > 1 && mayHaveFailed(commands, run.output)))
    // A line that failed may have stopped anywhere.
    return isLost && writes.length > 0 ? [DOUBT] : writes.flatMap(doubts)
  if (run.isFramed) return writes
  const shown = shownFile(plan, run.folder)
  return shown === null ? [...writes, ...diffShown(plan, run)] : [...writes, ...shownSteps(shown, run.output)]
}

/** True if the output has a message of one of the commands, in whatever language, or may have lost it. */
function mayHaveFailed(commands: readonly ShellCommand[], output: string): boolean {
  if (output !== '' && (!isWhole(output) || FAILURE.test(output))) return true
  return commands.some(({ words: [program] }) => {
    const begin = `${program}: `
    return output.startsWith(begin) || output.includes(`\n${begin}`)
  })
}

/** Returns the doubts that a step leaves that may not have been done. */
function doubts(step: FileStep): readonly FileStep[] {
  if (step.kind !== 'moved') return [{ kind: 'doubted', path: step.path }]
  return [...(step.isCopy ? [] : [step.path]), ...targetsOf(step)].map((path) => ({ kind: 'doubted', path }))
}

function simpleSteps(written: ShellCommand, before: ShellCommand | undefined, folder: string | null) {
  const command = unwrapped(written)
  const [program] = command.words
  const changes = program === null ? [DOUBT] : program === undefined ? [] : programSteps(program, command, folder)
  const copied = copiedByCat(command, folder)
  const steps = copied ?? [...changes, ...outputSteps(command, before, folder)]
  return command.isUncertain ? steps.flatMap(doubts) : steps
}

const ASSIGNED = /^(?!(?:PATH|CDPATH|IFS|BASH_ENV|ENV|GIT_\w*|LD_\w*)=)\w+=/

/** Returns a command without the values that are set for it. */
function unwrapped(command: ShellCommand): ShellCommand {
  const { words, patterns } = command
  let begin = words.findIndex((word) => word === null || !ASSIGNED.test(word))
  if (begin < 0) begin = words.length
  else if (words[begin] === 'env') {
    const next = words.findIndex((word, at) => at > begin && (word === null || !ASSIGNED.test(word)))
    begin = next < 0 ? words.length : next
  }
  if (begin === 0) return command
  return {
    ...command,
    words: words.slice(begin),
    patterns: new Map(Array.from(patterns, ([at, pattern]) => [at - begin, pattern])),
  }
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

function programSteps(program: string, command: ShellCommand, folder: string | null): readonly FileStep[] {
  const { words, patterns, text } = command
  const others = words.slice(1)
  const { isFlag, flags } = flagsIn(others)
  const paths = others.filter((_, at) => !isFlag(at))
  const globs = others.flatMap((_, at) => (isFlag(at) ? [] : [patterns.get(at + 1)]))
  switch (program) {
    case 'sed':
      return sedSteps(others, folder)
    case 'perl':
      return perlSteps(others, folder)
    case 'find':
      return others.some((word) => word === null || /^-(?:delete|exec|execdir|ok|fprint)/.test(word)) ? [DOUBT] : []
    case 'sort':
      return /(?:^| )-\w*o|--output/.test(flags) ? [DOUBT] : []
    case 'uniq':
      return paths.slice(1).map((path) => doubtOf(folder, path))
    case 'tree':
      return /(?:^| )-o/.test(flags) ? [DOUBT] : []
    case 'set':
      return /^(?:-[eux]+o? ?|-o ?)*$/.test(flags) && paths.every((word) => word === 'pipefail') ? [] : [DOUBT]
    case 'export':
      return others.every((word) => word !== null && ASSIGNED.test(word)) ? [] : [DOUBT]
    case 'mkdir':
    case 'chmod':
    case 'rmdir':
    case 'tee':
      return []
    case 'touch':
      return flags === ''
        ? paths.map((path) => onPath(folder, path, (known) => ({ kind: 'appended', path: known, text: '' })))
        : paths.map((path) => doubtOf(folder, path))
    case 'rm':
    case 'unlink':
      return paths.map((path, at) =>
        onPath(folder, path ?? folderOf(globs[at]), (known) => ({
          kind: path === null || !REMOVES.test(flags) ? 'doubted' : 'deleted',
          path: known,
        })),
      )
    case 'mv':
    case 'cp':
      return movedSteps(paths, flags, folder, program === 'cp', globs)
    case 'install':
    case 'rsync':
    case 'dd':
    case 'truncate':
    case 'sponge':
    case 'ed':
      return copyingSteps(program, others, text, folder)
    case 'git':
      return gitSteps(others, folder)
    default:
      return READS.has(program) ? [] : formattedSteps(words, folder)
  }
}

/** Flags with which nobody is asked. */
const REMOVES = /^(?:(?:-[rRfdv]+|--force|--recursive|--verbose) ?)*$/

/** Returns the files that a formatter may have written: those that it is given, if it is run as usual. */
function formattedSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const line = words.map((word) => word ?? '').join(' ')
  const [head] =
    /^(?:(?:npx|pnpm exec|yarn|bunx) )?(?:prettier|oxfmt|black|isort|gofmt|ruff format|biome format|dos2unix|unix2dos) /.exec(
      line,
    ) ?? []
  const named = words.slice((head ?? '').split(' ').length - 1)
  const hasPlainFlags = named.every((word) => word !== null && (!word.startsWith('-') || FORMATS.test(word)))
  const files = named.filter((word) => word?.startsWith('-') === false)
  if (head === undefined || !hasPlainFlags || files.length === 0) return [DOUBT]
  return files.map((word) => doubtOf(folder, word))
}

const FORMATS = /^(?:--write|-w|-l|--quiet|-q|--check|--list-different|--log-level=\w+)$/

const PART = /^(\d+),(\d+)p$/

/** What the client puts in the place of a part of an output that it leaves out, or behind it. */
const LEFT_OUT = /^<persisted-output>|^\.\.\. \[\d+ \w+ truncated\] \.\.\.$|…\d+ \w+ truncated…|\[\.\.\. omitted \d/m
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
