import { existsSync, lstatSync, mkdirSync, readFileSync, unwatchFile, watchFile } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../shared/config.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { refusalOf } from '../../shared/issue-words.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { replaceFile } from '../base/replace-file.ts'
import { appliesNow } from './applies.ts'
import { describeConfig, describeSetting } from './describe-config.ts'
import { editToml } from './edit-toml.ts'
import { checkConfigText, loadConfig, type LoadedConfig } from './load-config.ts'
import { settingOf, settings } from './settings.ts'

/** The settings of a running app: those in force, and those in the file for the next start. */
export type SettingsInForce = ReturnType<typeof createSettingsInForce>

/**
 * Interval for checking the file. It is read once it has not changed for a while, since an editor may be writing it.
 */
const LOOK_MS = 1000
const SETTLED_MS = 300

/** Callbacks that apply new settings. The next change waits until they finish. */
export interface SettingsFollowers {
  readonly recording: (config: Config) => Promise<void>
  readonly sinks: (config: Config) => Promise<void>
  readonly guard: (config: Config) => Promise<void>
}

/** For a command that only writes: no app is there to follow. */
export const NO_FOLLOWERS: SettingsFollowers = {
  recording: async () => undefined,
  sinks: async () => undefined,
  guard: async () => undefined,
}

/** Returns what the config file is and would be with a setting, and changes nothing. Throws what `set` does. */
export function editedFile({ origins, sources: { file } }: LoadedConfig, key: string, value: unknown) {
  const { section, name, schema, variable } = settingOf(key)
  const origin = origins.get(key)
  if (origin === 'flag') throw new AspyError('conflict', `${key} is set by a command-line flag; change it there`)
  if (origin === 'environment') throw new AspyError('conflict', `${key} is set by ${variable}; change it there`)
  const checked = value === null ? null : schema.safeParse(value)
  if (checked?.success === false) throw new AspyError('bad_input', refusalOf(key, value, checked.error.issues[0]))
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const next = editToml(text, { section, key: name, value })
  checkConfigText(file, next)
  return { file, text, next }
}

export function createSettingsInForce(loaded: LoadedConfig, followers: SettingsFollowers) {
  let config = loaded.config
  let stored = loaded
  let last: Promise<unknown> = Promise.resolve()
  let fault: string | null = null

  function write(key: string, value: unknown): void {
    const { file, text, next } = editedFile(stored, key, value)
    if (next === text) return
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    replaceFile(file, next)
  }

  async function set(key: string, value: unknown): Promise<OperationOutput<'config.set'>> {
    write(key, value)
    stored = loadConfig(stored.sources)
    await apply()
    return describeSetting(settingOf(key), stored, config)
  }

  async function apply(): Promise<void> {
    const next = withNow(config, stored.config)
    const isForRecorder = !isDeepStrictEqual(recording(next), recording(config))
    const isForSinks = !isDeepStrictEqual(sending(next), sending(config))
    const isForGuard = !isDeepStrictEqual(next.guard, config.guard)
    config = next
    if (isForRecorder) await followers.recording(next)
    if (isForSinks) await followers.sinks(next)
    if (isForGuard) await followers.guard(next)
  }

  async function followFile(): Promise<void> {
    const isThere = existsSync(stored.sources.file)
    fault = null
    stored = loadConfig(stored.sources)
    // A missing file is about to be replaced, or its defaults apply at the next start.
    if (isThere) await apply()
  }

  return {
    config: () => config,
    /** Why the file cannot be read, so that its settings wait; null if it can. */
    fault(): string | null {
      // Whoever watches the file does not see that a link to nothing is removed.
      const { file, isFileRequired } = stored.sources
      if (fault !== null && isFileRequired !== true && lstatSync(file, { throwIfNoEntry: false }) === undefined) {
        fault = null
        stored = loadConfig(stored.sources)
      }
      return fault
    },
    describe: () => describeConfig(stored, config),
    /**
     * Writes one setting to the config file (null restores the default), and applies it if possible. Throws `bad_input`
     * for an invalid value, and `conflict` if a flag or variable overrides the file or the file cannot be edited.
     */
    set(key: string, value: unknown): Promise<OperationOutput<'config.set'>> {
      const done = last.then(() => set(key, value))
      last = done.catch(() => undefined)
      return done
    },
    /**
     * Follows the config file: a setting that a running app can apply is applied, as with `set`; the others wait for a
     * restart, and `describe` has their `next` value. `onRefused` is called for a file that cannot be read; its settings
     * wait until it can. Returns a function that stops following.
     */
    follow(onRefused: (error: unknown) => void): () => void {
      const { file } = stored.sources
      let settled: NodeJS.Timeout | undefined
      const refuse = (error: unknown) => {
        fault = errorMessage(error)
        onRefused(error)
      }
      const onChange = () => {
        clearTimeout(settled)
        settled = setTimeout(() => (last = last.then(followFile).catch(refuse)), SETTLED_MS)
      }
      watchFile(file, { interval: LOOK_MS, persistent: false }, onChange)
      return () => {
        clearTimeout(settled)
        unwatchFile(file, onChange)
      }
    },
  }
}

/** Returns the settings that the recorder and the importer use. */
function recording({ lifestats, redaction, filter, processors, session_log }: Config): object {
  return { lifestats, redaction, filter, processors, session_log }
}

/** Returns the settings that the sinks use. */
const sending = ({ metrics, webhook, otel, team, session_log }: Config): object => ({
  metrics,
  webhook,
  otel,
  team,
  session_log: session_log.enabled,
})

/** Returns the settings in force, updated with those of the file that apply immediately. */
function withNow(inForce: Config, stored: Config): Config {
  const next = structuredClone(inForce) as Record<string, Record<string, unknown>>
  const from = stored as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  for (const { key, section, name } of settings)
    if (appliesNow(key)) next[section] = { ...next[section], [name]: from[section]?.[name] }
  return next as Config
}
