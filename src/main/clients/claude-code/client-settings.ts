import { join } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { claudeFolder } from './claude-folder.ts'
import { readSettings, type JsonRecord } from '../../base/replace-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** One settings file of Claude Code as it is now. */
export interface ClientSettings {
  readonly file: string
  /** null: it is there and cannot be read as settings. */
  readonly values: JsonRecord | null
}

/** The settings that a client started in `cwd` reads; what comes later wins. Managed settings of a company are not among them. */
export function clientSettings(env: Environment, home: string, cwd: string): readonly ClientSettings[] {
  const project = ['settings.json', 'settings.local.json'].map((name) => join(cwd, '.claude', name))
  const user = userSettings(env, home)
  const others = project.filter((file) => file !== user.file)
  return [user, ...others.map((file) => ({ file, values: valuesOf(file) }))]
}

/** The settings that count in every project of a user. */
export function userSettings(env: Environment, home: string): ClientSettings {
  const file = join(claudeFolder(env, home), 'settings.json')
  return { file, values: valuesOf(file) }
}

function valuesOf(file: string): JsonRecord | null {
  try {
    return readSettings(file)
  } catch (error) {
    if (error instanceof AspyError) return null
    throw error
  }
}

/** The variables that settings set: for the client they win over those of its environment (seen with 2.1.330). */
export function settingsEnvironment(settings: readonly ClientSettings[]): Environment {
  const all = settings.map(({ values }) => values?.['env']).filter((env) => typeof env === 'object' && env !== null)
  const texts = all.flatMap((env) => Object.entries(env as object).filter(([, value]) => typeof value === 'string'))
  return Object.fromEntries(texts) as Environment
}
