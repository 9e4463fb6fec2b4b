import { join } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { claudeFolder } from './claude-folder.ts'
import { readSettings, type JsonRecord } from '../../base/replace-file.ts'
import { nullIf } from '../../../shared/error-text.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A settings file of Claude Code. */
export interface ClientSettings {
  readonly file: string
  /** null if the file exists but is not valid. */
  readonly values: JsonRecord | null
}

/** Returns the settings that a client started in `cwd` reads; later ones win. Managed settings are not included. */
export function clientSettings(env: Environment, home: string, cwd: string): readonly ClientSettings[] {
  const project = ['settings.json', 'settings.local.json'].map((name) => join(cwd, '.claude', name))
  const user = userSettings(env, home)
  const others = project.filter((file) => file !== user.file)
  return [user, ...others.map((file) => ({ file, values: valuesOf(file) }))]
}

/** Returns the user's settings, which apply to every project. */
export function userSettings(env: Environment, home: string): ClientSettings {
  const file = join(claudeFolder(env, home), 'settings.json')
  return { file, values: valuesOf(file) }
}

const valuesOf = (file: string): JsonRecord | null => nullIf(AspyError, () => readSettings(file))

/** Returns the variables that settings set. They win over the client's environment (observed with 2.1.330). */
export function settingsEnvironment(settings: readonly ClientSettings[]): Environment {
  const all = settings.map(({ values }) => values?.['env']).filter((env) => typeof env === 'object' && env !== null)
  const texts = all.flatMap((env) => Object.entries(env as object).filter(([, value]) => typeof value === 'string'))
  return Object.fromEntries(texts) as Environment
}
