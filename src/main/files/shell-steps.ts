import { diffSteps } from './diff-steps.ts'
import { linesIn, type FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'
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

const DOUBT: FileStep = { kind: 'doubted', path: null }

/** Returns what a command line did to files as far as its text says; whatever else may have been written is in doubt. */
export function commandSteps(run: RunCommand): readonly FileStep[] {
  const commands = shellCommands(run.command)
  if (commands === null) return [DOUBT]
  let { folder } = run
  const steps: FileStep[] = []
  for (const command of commands) {
    const [program, target = null] = command.words
    if (program === 'cd') {
      folder = target === null || command.words.length > 2 ? null : joinedPath(folder, target)
      continue
    }
    steps.push(...simpleSteps(command, folder))
  }
  // Only the last command's failure fails the line; of another one, its message says so.
  if (commands.length > 1 && steps.some(({ kind }) => kind !== 'shown') && FAILURE.test(run.output)) return [DOUBT]
  // A line that failed may have stopped anywhere.
  const writes = steps.some(({ kind }) => kind !== 'shown')
  if (run.isSuccess !== true) return writes ? [DOUBT] : []
  return commands.length === 1 || (commands.length === 2 && commands[0]?.words[0] === 'cd')
    ? [...steps, ...shownSteps(commands.at(-1), folder, run.output)]
    : steps
}

function simpleSteps(command: ShellCommand, folder: string | null): readonly FileStep[] {
  const [program] = command.words
  const changes = program === null || program === undefined ? [DOUBT] : programSteps(program, command, folder)
  const steps = [...changes, ...outputSteps(command, folder)]
  return command.isUncertain && steps.length > 0 ? [DOUBT] : steps
}

function programSteps(program: string, { words }: ShellCommand, folder: string | null): readonly FileStep[] {
  const others = words.slice(1)
  const paths = others.filter((word) => word === null || !word.startsWith('-'))
  const flags = others.filter((word) => word?.startsWith('-') === true).join(' ')
  switch (program) {
    case 'sed':
    case 'perl':
      return program === 'perl' ? [DOUBT] : editedSteps(others, folder)
    case 'find':
      return others.some((word) => word === null || /^-(?:delete|exec|execdir|ok|fprint)/.test(word)) ? [DOUBT] : []
    case 'sort':
      return /(?:^| )-o|--output/.test(flags) ? [DOUBT] : []
    case 'mkdir':
    case 'chmod':
      return []
    case 'touch':
      return paths.map((path) => onPath(folder, path, (known) => ({ kind: 'doubted', path: known })))
    case 'rm':
    case 'rmdir':
    case 'unlink':
      return paths.map((path) => onPath(folder, path, (known) => ({ kind: 'deleted', path: known })))
    case 'mv':
    case 'cp':
      return moved(paths, flags, folder, program === 'cp')
    case 'git':
      return gitSteps(others, folder)
    default:
      return READS.has(program) ? [] : [DOUBT]
  }
}

/** Returns what `sed` may have written: the files that it names, if it edits in place. */
function editedSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const flags = words.filter((word) => word?.startsWith('-') === true).join(' ')
  if (!/(?:^| )-\w*i|--in-place/.test(flags)) return []
  const [script, ...files] = words.filter((word) => word === null || !word.startsWith('-'))
  const isPlain = /^-(?:i|[Ern]+i|i [Ern]+|[Ern]+ -i)$/.test(flags) && files.length > 0
  // A script may name files to write.
  if (!isPlain || (typeof script === 'string' && /w/.test(script.replaceAll(/[a-z]{2,}/gi, '')))) return [DOUBT]
  return files.map((word) => onPath(folder, word, (path) => ({ kind: 'doubted', path })))
}

function onPath(folder: string | null, word: string | null, step: (path: string) => FileStep): FileStep {
  const path = word === null ? null : joinedPath(folder, word)
  return path === null ? DOUBT : step(path)
}

/** Into a folder, or to a name: only a name with an ending like the source's is surely no folder. */
function moved(paths: readonly (string | null)[], flags: string, folder: string | null, isCopy: boolean): FileStep[] {
  const [from = null, to = null] = paths
  if (paths.length !== 2 || from === null || to === null || !/^(?:-[fvrRpai]+ ?)*$/.test(flags)) return [DOUBT]
  const [path, target] = [joinedPath(folder, from), joinedPath(folder, to)]
  if (path === null || target === null) return [DOUBT]
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isFolder = /[/]$|(?:^|[/])\.\.?$/.test(to)
  if (!isFolder && (endingOf(target) === '' || endingOf(target) !== endingOf(path))) return [DOUBT]
  return [{ kind: 'moved', path, to: isFolder ? `${target}/${name}` : target, isCopy }]
}

const endingOf = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? ''

/** What git takes from its own store is not in the record. */
function gitSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const [verb, ...rest] = words
  if (verb === undefined || verb === null || verb.startsWith('-')) return [DOUBT]
  const paths = rest.filter((word) => word === null || !word.startsWith('-'))
  const flags = rest.filter((word) => word?.startsWith('-') === true).join(' ')
  if (verb === 'mv') return moved(paths, flags, folder, false)
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

function outputSteps(command: ShellCommand, folder: string | null): readonly FileStep[] {
  return command.outputs.map(({ target, isAppended }) => {
    const text = command.isPiped ? null : textOf(command)
    return onPath(folder, target, (path): FileStep => {
      if (text === null) return { kind: 'doubted', path }
      return isAppended
        ? { kind: 'appended', path, text }
        : { kind: 'written', path, text, origin: 'derived', isExact: true }
    })
  })
}

/** Returns the text that a command prints, if its own words say so. */
function textOf({ words, text }: ShellCommand): string | null {
  const [program, ...args] = words
  if (program === 'cat' && args.every((word) => word === '-')) return text
  if (program === ':' || (program === undefined && words.length === 0)) return ''
  if (args.some((word) => word === null)) return null
  const said = args.map((word) => word ?? '')
  // Shells differ in what `echo` makes of a backslash.
  if (program === 'echo' && !said.some((word) => word.includes('\\') || /^-[neE]+$/.test(word)))
    return `${said.join(' ')}\n`
  return program === 'printf' && said.length === 1 && !/[%]|\\[^n]/.test(said[0] ?? '')
    ? (said[0] ?? '').replaceAll('\\n', '\n')
    : null
}

const PART = /^(\d+),(\d+)p$/

/** What the client puts in the place of a part of an output that it leaves out, or behind it. */
const LEFT_OUT = /^<persisted-output>|^\.\.\. \[\d+ \w+ truncated\] \.\.\.$/m
const ASIDE = /\n*^Shell cwd was reset to .*$/m

/** Returns what the output of a single command shows of a file. */
function shownSteps(command: ShellCommand | undefined, folder: string | null, printed: string): readonly FileStep[] {
  if (command === undefined || command.isPiped || command.outputs.length > 0) return []
  if (printed.length > MAX_OUTPUT || LEFT_OUT.test(printed)) return []
  const output = printed.replace(ASIDE, '')
  const [program, ...args] = command.words
  const words = args.filter((word) => word !== null)
  if (program === 'git' && words[0] === 'diff' && words.length === args.length)
    return diffSteps(words.slice(1), folder, output)
  const file = words.at(-1)
  const path = file === undefined || words.length !== args.length ? null : joinedPath(folder, file)
  if (path === null || output === '') return []
  const { lines, ending } = linesIn(output)
  const shown = (from: number): readonly FileStep[] => [
    { kind: 'shown', path, from, lines, isWhole: false, ending: ending === 'crlf' ? ending : null },
  ]
  if (program === 'cat' && words.length === 1) return shown(1)
  const count = Number(words.length === 3 && words[0] === '-n' ? words[1] : words[0]?.slice(1))
  if (program === 'head' && words.length > 1 && count > 0 && lines.length <= count) return shown(1)
  const [, from, until] = PART.exec(words.length === 3 && words[0] === '-n' ? (words[1] ?? '') : '') ?? []
  // The client cuts blank lines at the beginning off: with fewer lines than were asked for, nobody knows which they are.
  const isPart = program === 'sed' && lines.length === Number(until) - Number(from) + 1
  return isPart ? shown(Number(from)) : []
}
