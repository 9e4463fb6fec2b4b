import { nameUpstream } from '../../base/session-upstreams.ts'
import { baseUrlOfRun } from '../../base/client-run.ts'
import { baseUrlOf, loadPathSecret } from '../../base/path-secret.ts'

/** Codex's own setting for the address of the API, with an API key and with a ChatGPT login. */
const SETTING = 'openai_base_url'

/** Codex's own variable for a file of certificates. It ignores Node's. */
export const CODEX_TRUST = 'CODEX_CA_CERTIFICATE'

/**
 * Returns the base URL that connects Codex, creating the path secret if there is none. `own`: the upstream of this session only.
 * `run`: the run that it names. Throws file system errors.
 */
export function codexBaseUrl(
  dataDir: string,
  proxyUrl: string,
  own: string | null = null,
  run: string | null = null,
): string {
  const base = baseUrlOf(proxyUrl, loadPathSecret(dataDir))
  return `${baseUrlOfRun(own === null ? base : `${base}/${nameUpstream(dataDir, own)}`, run)}/openai/v1`
}

/** Returns the arguments that connect Codex for one run. They change no file, so there is nothing to undo. */
export const codexArguments = (baseUrl: string): readonly string[] => ['-c', `${SETTING}=${JSON.stringify(baseUrl)}`]

/** Returns the base URL that the user's own arguments set (`-c openai_base_url=…`); null if they set none. */
export function baseUrlInArguments(args: readonly string[]): string | null {
  let found: string | null = null
  for (const [index, arg] of args.entries()) {
    if (arg === '--') return found
    const given =
      arg === '-c' || arg === '--config' ? args[index + 1] : (/^(?:-c|--config=)(.+)$/.exec(arg)?.[1] ?? undefined)
    const [, value] = /^\s*openai_base_url\s*=\s*(.*)$/.exec(given ?? '') ?? []
    if (value !== undefined) found = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  }
  return found
}
