import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { packageRoot } from './app-files.ts'
import { shellQuoted } from './shell-quoted.ts'

/** The facts that decide how to type `aspy`. By default, those of this process and this package. */
export interface TypedPlace {
  readonly path: string | undefined
  readonly platform: NodeJS.Platform
  readonly root: string
}

/**
 * Returns what to type for `aspy` in a terminal, in any folder: the name if the PATH leads to this installation, as after
 * `npm link`, or else the absolute path. The archive of a desktop app contains no command: for it, this is the name.
 */
export function typedCommand(place: Partial<TypedPlace> = {}): string {
  const { path = process.env['PATH'], platform = process.platform, root = packageRoot() } = place
  const script = join(root, 'bin', 'aspy')
  if (!existsSync(script)) return 'aspy'
  const own = realpathSync(script)
  if (foldersOf(path).some((folder) => leadsTo(join(folder, 'aspy'), own))) return 'aspy'
  // A desktop package brings its own Node.
  const node = ['node', 'node.exe'].map((name) => join(root, name)).find((file) => existsSync(file))
  const isWindows = platform === 'win32'
  const words = [...(node === undefined ? (isWindows ? ['node'] : []) : [node]), script]
  const typed = words.map((word) => shellQuoted(word, platform)).join(' ')
  // PowerShell takes a quote that begins a line for a text, and cmd does not know its &: both read one within a word.
  return isWindows ? typed.replace(/^"((?:[a-z]:)?[\\/]+)/i, '$1"') : typed
}

/** Replaces `aspy` at the beginning of a command. */
export const asTyped = (command: string, typed: string = typedCommand()): string =>
  command.replace(/^aspy(?= |$)/, () => typed)

/** `aspy` before one of its commands, or at the end of "start … with aspy"; without the folder that such a command has. */
const NAMED_COMMAND =
  /(?<![\w/.-]|written by )aspy(?:( --help\b)|( (?:run|serve|setup|off|import|open|doctor|delete|redact|restore|trace|restart|stop|status|vacuum|config|guard|sessions?|timeline|recall|recent|errors|tools|advise|remember|file|export|replay|resume|report|limits|cache|blame|receipt|served|stats|slowest|diff|carry|budget|dropped|tag|archive|rebuild|reprice|team(?: [a-z-]+)?)(?![\w-]))|(?<=\bstart (?:it|the app) with aspy)(?=$|[.;,\n]| --data ))(?=((?:(?![.:] )[^;,\n])* --data )?)/g

/**
 * Replaces `aspy` wherever a sentence names a command to run. `folder`: the option that each of them needs, if it has none;
 * it comes first, before what the command may pass on.
 */
export const withTyped = (text: string, typed: string = typedCommand(), folder = ''): string =>
  text.replaceAll(NAMED_COMMAND, (_, help = '', command = '', named = '') =>
    [typed, help, command, help + named === '' ? folder : ''].join(''),
  )

/** npm and npx add their own folders to the PATH; other terminals do not have them. */
const foldersOf = (path = '') => path.split(delimiter).filter((folder) => folder !== '' && !/node_modules/.test(folder))

/** A link leads there, or the file that setup wrote (`path-command.ts`). */
function leadsTo(candidate: string, script: string): boolean {
  try {
    const found = statSync(candidate)
    if (!found.isFile()) return false
    if (realpathSync(candidate) === script) return true
    return found.size < SMALL && readFileSync(candidate, 'utf8').includes(` ${shellQuoted(script, 'linux')} "$@"`)
  } catch {
    // Nothing, a circle of links, or what this user may not read: a shell finds no command there either.
    return false
  }
}

const SMALL = 4096
