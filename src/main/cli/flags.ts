import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { settingsOfRun } from './settings-of-run.ts'
import type { CommonFlags, RunSettings } from './settings-of-run.ts'

/** The flags that every command may be given. */
type Flags = CommonFlags & {
  readonly open: boolean
  readonly json?: boolean
  readonly leaveAfter?: number
}

/** The flags of every command, before or after its name. */
export function withCommon(command: Command): Command {
  return command
    .option('--data <dir>', 'data folder (ASPY_DATA)')
    .option('--config <file>', 'config file (config.toml in the data folder)')
    .option('--port <n>', 'port of the dashboard, 0: any', number)
    .option('--proxy-port <n>', 'port of the proxy, 0: any', number)
    .option('--upstream <url>', 'where requests go')
    .option('--no-open', 'open no window')
    .option('--demo', 'made-up data in a folder that goes with the app')
}

/** The flags of a command and of those above it; what was given wins over what is only a default. */
export function flagsOf<Own = unknown>(self: Command): Flags & Own {
  const given: Record<string, unknown> = {}
  for (let at: Command | null = self; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (at.getOptionValueSource(name) !== 'default') given[name] ??= value
    }
  }
  return { open: true, ...given } as Flags & Own
}

/** Data folder and settings that a command's flags and the environment name. */
export function settings(self: Command): RunSettings {
  return settingsOfRun(flagsOf(self), process.env)
}

/** A flag's value as a number from 0 on. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('not a number')
  return value
}
