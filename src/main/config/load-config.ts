import { lstatSync, readFileSync, statSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'
import { configSchema, type Config } from '../../shared/config.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { refusalOf } from '../../shared/issue-words.ts'
import { nearestName } from '../../shared/nearest-name.ts'
import { settingOf, settings } from './settings.ts'
import { lineOfKey } from './toml-lines.ts'
import { errorMessage, errorCode } from '../../shared/error-text.ts'

type Origin = 'flag' | 'environment' | 'file' | 'default'

const WRITABLE_BY_ALL = 0o002

/** The configuration, and the source of each setting (by `section.key`). */
export interface LoadedConfig {
  readonly config: Config
  readonly origins: ReadonlyMap<string, Origin>
  /** The inputs, so that it can be loaded again. */
  readonly sources: ConfigSources
}

export interface ConfigSources {
  /** The TOML file; it may be missing unless `isFileRequired`. */
  readonly file: string
  readonly isFileRequired?: boolean
  /** `ASPY_<SECTION>_<KEY>` overrides the file. Other variables are ignored. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** By `section.key`; undefined means not given. */
  readonly flags?: Readonly<Record<string, unknown>>
}

type Tables = Record<string, Record<string, unknown>>

/**
 * Loads the settings. Precedence: flag, environment, file, default. Throws `bad_input` with the line, the key and the
 * nearest valid name.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { file, isFileRequired = false, env = {}, flags = {} } = sources
  const text = readText(file, isFileRequired)
  const fromFile = parseFile(file, text)
  const merged: Tables = structuredClone(fromFile)
  const origins = new Map<string, Origin>(settings.map(({ key }) => [key, 'default']))
  for (const [section, table] of Object.entries(fromFile))
    for (const name of Object.keys(table)) origins.set(`${section}.${name}`, 'file')
  for (const setting of settings) {
    const given = env[setting.variable]
    if (given !== undefined && given !== '') {
      override(merged, setting.key, check(setting.key, setting.fromText(given), `environment ${setting.variable}`))
      origins.set(setting.key, 'environment')
    }
    const flag = flags[setting.key]
    if (flag !== undefined) {
      override(merged, setting.key, check(setting.key, flag, 'the command line'))
      origins.set(setting.key, 'flag')
    }
  }
  return { config: configSchema.parse(merged), origins, sources }
}

function readText(file: string, isRequired: boolean): string {
  try {
    assertTrusted(file, isRequired)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
    // A link to a file that is gone is not as if nothing had ever been set: no cap would hold then.
    const isLost = errorCode(error) === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false }) !== undefined
    if (isMissing && !isRequired && !isLost) return ''
    const why = isLost ? 'it is a link to a file that does not exist' : errorMessage(error)
    throw new AspyError('bad_input', `cannot read the config file ${file}: ${why}`, { cause: error })
  }
}

/**
 * A config file names code to run, so it must be this user's or the system's, and nobody else may write it. It may be a link,
 * as dotfile managers make them. Windows has neither owners nor modes in this form.
 */
function assertTrusted(file: string, isNamed: boolean): void {
  const stats = statSync(file)
  const { uid, mode } = stats
  // A pipe that somebody put there would never end. `isFileRequired` names one on purpose: `--config <(command)`.
  if (!isNamed && !stats.isFile()) throw new Error('it is not a file')
  const own = process.getuid?.()
  if (own === undefined) return
  if (uid !== own && uid !== 0) throw new Error('it belongs to another user')
  if ((mode & WRITABLE_BY_ALL) !== 0) throw new Error('everybody can write it; run chmod o-w on it')
}

/** Throws `bad_input` if a config file with this text is invalid. */
export function checkConfigText(file: string, text: string): void {
  parseFile(file, text)
}

function parseFile(file: string, text: string): Tables {
  const tables = parseToml(file, text)
  const result = configSchema.safeParse(tables)
  if (result.success) return tables as Tables
  throw new AspyError('bad_input', describeIssue(file, text, result.error.issues[0], tables))
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    throw new AspyError('bad_input', `${file}:${error.line}: ${what}`, { cause: error })
  }
}

function describeIssue(file: string, text: string, issue: z.core.$ZodIssue | undefined, tables: unknown): string {
  if (issue === undefined) return `${file}: not a valid config file`
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const place = `${file}:${lineOfKey(text, [...path, key])}`
    const known = path.length === 0 ? Object.keys(configSchema.shape) : keysOf(path[0] ?? '')
    const what = path.length === 0 ? `unknown section [${key}]` : `unknown key "${key}" in [${path.join('.')}]`
    if (path.length > 1 && known.includes(key)) return `${place}: ${what}; it is a key of [${path[0]}]`
    const nearest = nearestName(key, known)
    return `${place}: ${what}; ${nearest === null ? `valid names: ${known.join(', ')}` : `did you mean "${nearest}"?`}`
  }
  return `${file}:${lineOfKey(text, path)}: ${refusalOf('', tables, issue)}`
}

const keysOf = (section: string): string[] =>
  settings.filter((setting) => setting.section === section).map((setting) => setting.name)

/** Checks one value against its schema, so that the message can name its source. */
function check(key: string, value: unknown, source: string): unknown {
  const result = settingOf(key).schema.safeParse(value)
  if (result.success) return value
  throw new AspyError('bad_input', `${source}: ${refusalOf(key, value, result.error.issues[0])}`)
}

function override(tables: Tables, key: string, value: unknown): void {
  const { section, name } = settingOf(key)
  tables[section] = { ...tables[section], [name]: value }
}
