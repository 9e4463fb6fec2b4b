import { InvalidArgumentError, Option, type Command } from 'commander'
import { AspyError } from '../../shared/contract/errors.ts'
import { COMMON_OPTIONS } from './example-command.ts'
import { folderOfRun } from '../base/folder-of-run.ts'
import { settingsOfRun, type CommonFlags, type RunSettings } from './settings-of-run.ts'

/** The flags that every command accepts. */
type Flags = CommonFlags & { readonly open: boolean; readonly leaveAfter?: number }

/** Adds the flags that every command accepts, before or after its name. */
export function withCommon<Kind extends Command>(command: Kind): Kind {
  return command
    .optionsGroup(COMMON_OPTIONS)
    .option('--data <dir>', 'Data folder (default: ASPY_DATA, then the platform folder)', notAFlag)
    .option('--config <file>', 'Config file (default: ASPY_CONFIG, then config.toml in the data folder)', notAFlag)
    .option('--port <n>', 'Dashboard port; 0 picks a free one', number)
    .option('--proxy-port <n>', 'Proxy port; 0 picks a free one', number)
    .option('--tunnel-port <n>', 'Port of the tunnel for full mode; 0 picks a free one', number)
    .option('--upstream <url>', 'Forward requests to this address')
    .option('--no-open', 'Do not open a window or browser')
    .addOption(
      new Option('--demo', 'Use sample data in a temporary folder').hideHelp(
        command.parent !== null && command.name() !== 'serve',
      ),
    )
    .helpOption('-h, --help', 'Show help')
    .optionsGroup('Options:')
}

/** Adds `--json`, which most commands share. */
export const withJson = <Kind extends Command>(command: Kind): Kind => command.option('--json', 'Print JSON')

/** Returns the flags of a command and its parents. A flag that was given wins over a default. */
export function flagsOf<Own = unknown>(self: Command): Flags & Own {
  const given: Record<string, unknown> = {}
  for (let at: Command | null = self; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts()))
      if (at.getOptionValueSource(name) !== 'default') given[name] ??= value
  }
  return { open: true, ...given } as Flags & Own
}

export interface JsonFlag {
  readonly json?: boolean
}

type Loaded<Given extends readonly unknown[]> = () => Promise<(...given: Given) => Promise<void> | void>

/** Returns an action that loads its command when it runs. The command gets the typed words, then the flags. */
export const withFlags =
  <Given extends readonly unknown[]>(load: Loaded<Given>) =>
  async (...given: readonly unknown[]): Promise<void> =>
    (await load())(...(typedIn(given) as unknown as Given))

/** Like `withFlags`, but the command gets its settings first. */
export const withSettings =
  <Given extends readonly unknown[]>(load: Loaded<[RunSettings, ...Given]>) =>
  async (...given: readonly unknown[]): Promise<void> =>
    (await load())(settings(given.at(-1) as Command), ...(typedIn(given) as unknown as Given))

/** Creates the action of a command that says what is wrong with the config file, and goes on without it. */
export const withAnySettings =
  <Given extends readonly unknown[]>(load: Loaded<[RunSettings, ...Given]>) =>
  async (...given: readonly unknown[]): Promise<void> =>
    (await load())(settings(given.at(-1) as Command, true), ...(typedIn(given) as unknown as Given))

/** Creates the action of a command that needs only the data folder, so that settings with a mistake do not stop it. */
export const withFolder =
  <Given extends readonly unknown[]>(load: Loaded<[Pick<RunSettings, 'dataDir'>, ...Given]>) =>
  async (...given: readonly unknown[]): Promise<void> => {
    const self = given.at(-1) as Command
    refuseDemo(self)
    await (
      await load()
    )(folderOfRun(flagsOf(self), process.env), ...(typedIn(given) as unknown as Given))
  }

/**
 * Returns the typed words and all flags, from the arguments that commander passes to an action: words, own flags and
 * the command.
 */
const typedIn = (given: readonly unknown[]): readonly unknown[] => [
  ...given.slice(0, -2),
  flagsOf(given.at(-1) as Command),
]

/**
 * Resolves the data folder and settings from a command's flags and the environment. Throws `bad_input` if a setting is invalid,
 * and for `--demo` with a command that does not start the app: it would get an empty folder of its own.
 */
export function settings(self: Command, acceptsFault = false): RunSettings {
  refuseDemo(self)
  return settingsOfRun(flagsOf(self), process.env, acceptsFault)
}

function refuseDemo(self: Command): void {
  if (flagsOf(self).demo && self.parent !== null && self.name() !== 'serve')
    throw new AspyError(
      'bad_input',
      `${self.name()} has no demo; start one with aspy --demo, and pass the folder that it prints with --data`,
    )
}

/** Parses the value of a flag that names a file or folder. One that looks like a flag is the next one: a value was forgotten. */
export function notAFlag(text: string): string {
  if (text.startsWith('--'))
    throw new InvalidArgumentError(`it looks like an option; for a file of that name, type ./${text}`)
  return text
}

/** Parses a flag's value as a number that is not negative. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('give a number from 0')
  return value
}

type ServeSettings = {
  readonly [Name in 'config' | 'port' | 'proxyPort' | 'tunnelPort' | 'upstream']?: CommonFlags[Name] | undefined
}

/** Returns the flags of `aspy serve` that give it the settings of another command. */
export function flagsForServe(flags: ServeSettings): string[] {
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['--config', flags.config],
    ['--port', flags.port],
    ['--proxy-port', flags.proxyPort],
    ['--tunnel-port', flags.tunnelPort],
    ['--upstream', flags.upstream],
  ]
  return given.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]))
}
