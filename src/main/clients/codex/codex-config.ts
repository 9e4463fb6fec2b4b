import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { AspyError } from '../../../shared/contract/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns Codex's folder. */
export const codexFolder = (env: Environment, home: string): string => env['CODEX_HOME'] || join(home, '.codex')

/** What Codex's `config.toml` says about where requests go. */
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

/** Parses the text of a `config.toml`. Throws `bad_input` with the file's name. */
export function parseConfig(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    throw new AspyError('bad_input', `${file} is not valid TOML (${why}); correct it and run this again`)
  }
}
