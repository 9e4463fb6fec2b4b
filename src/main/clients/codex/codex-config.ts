import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { AspyError } from '../../../shared/contract/errors.ts'
import { errorMessage } from '../../../shared/error-text.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns Codex's folder. */
export const codexFolder = (env: Environment, home: string): string => env['CODEX_HOME'] || join(home, '.codex')

/** Settings in Codex's `config.toml` about the addresses of requests. */
export interface CodexConfig {
  /** `openai_base_url`; null if it is not set. */
  readonly baseUrl: string | null
  /** `model_provider`; null: OpenAI. */
  readonly provider: string | null
}

/** Reads `config.toml` of Codex's folder; a missing file sets nothing. Throws `bad_input` if it is not valid. */
export function readCodexConfig(folder: string): CodexConfig {
  const file = join(folder, 'config.toml')
  const values = existsSync(file) ? parseConfig(file, readFileSync(file, 'utf8')) : {}
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  return { baseUrl: text('openai_base_url'), provider: text('model_provider') }
}

/** Reads a `config.toml` as text; null if there is none. Throws `bad_input` if it cannot be written back byte for byte. */
export function readConfigText(file: string): string | null {
  const state = lstatSync(file, { throwIfNoEntry: false })
  if (state === undefined) return null
  if (!existsSync(file)) throw new AspyError('bad_input', `${file} is a link to a file that does not exist; create it`)
  if ((statSync(file).mode & 0o222) === 0)
    throw new AspyError('bad_input', `${file} is read-only; make it writable and run this again`)
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw new AspyError('bad_input', `${file} is not UTF-8, which TOML requires; correct it and run this again`)
}

/** Parses the text of a `config.toml`. Throws `bad_input` with the file's name. */
export function parseConfig(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const why = errorMessage(error).split('\n')[0] ?? ''
    throw new AspyError('bad_input', `${file} is not valid TOML (${why}); correct it and run this again`)
  }
}
