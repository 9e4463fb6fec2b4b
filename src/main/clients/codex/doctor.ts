import { existsSync } from 'node:fs'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Finding } from '../claude-code/doctor/checks.ts'
import { readCodexConfig } from './codex-config.ts'
import { KNOWN_CODEX } from './known-version.ts'
import { type InstalledClient } from '../claude-code/find-client.ts'

/** Facts for the checks of Codex. */
export interface CodexFacts {
  /** Codex's folder. */
  readonly folder: string
  /** The installed client; null if none is installed. */
  readonly client: InstalledClient | null
  /** Address of the proxy with the current path secret and Codex's prefix; null if there is no secret yet. */
  readonly baseUrl: string | null
}

/** Checks the connection between Codex and Aspy. Returns nothing on a machine without Codex. */
export function examineCodex({ folder, client, baseUrl }: CodexFacts): Finding[] {
  if (client === null && !existsSync(folder)) return []
  return [clientFinding(client), baseUrlFinding(folder, baseUrl)]
}

function clientFinding(client: CodexFacts['client']): Finding {
  const check = 'codex'
  if (client === null) {
    const mend = 'npm install -g @openai/codex'
    return { check, verdict: 'note', said: 'Codex is not on your PATH', mend }
  }
  const said = `Codex ${client.version ?? 'of an unknown version'}: ${client.path}`
  if (client.version === KNOWN_CODEX) return { check, verdict: 'ok', said, mend: null }
  return { check, verdict: 'note', said: `${said}; Aspy is tested with ${KNOWN_CODEX}`, mend: null }
}

function baseUrlFinding(folder: string, wanted: string | null): Finding {
  const check = 'codex base URL'
  try {
    const { baseUrl, provider } = readCodexConfig(folder)
    if (provider !== null && provider !== 'openai') {
      const said = `its config uses the model provider "${provider}", which bypasses Aspy`
      return { check, verdict: 'warning', said, mend: 'remove model_provider from config.toml, or import its rollouts' }
    }
    if (baseUrl === null) {
      const said = 'not set; aspy run -- codex sends a client through Aspy'
      return { check, verdict: 'ok', said, mend: null }
    }
    if (baseUrl === wanted) return { check, verdict: 'ok', said: 'every Codex goes through Aspy', mend: null }
    const isOurs = wanted !== null && URL.canParse(baseUrl) && new URL(baseUrl).origin === new URL(wanted).origin
    const said = isOurs
      ? 'its config has an older path secret: it is recorded as an unproven sender'
      : `its config sends it to ${baseUrl}, so only aspy run -- codex records it`
    if (!isOurs) return { check, verdict: 'note', said, mend: null }
    const command = ['setup', '--codex', '--base-url']
    return { check, verdict: 'warning', said, mend: ['aspy', ...command].join(' '), fix: { command } }
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    return { check, verdict: 'failure', said: error.message, mend: 'correct the file' }
  }
}
