import type { RunningApp } from '../../base/running-app.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { fullVariables, outerProxyOf } from '../../clients/claude-code/full/full-variables.ts'
import { upstreamNamedIn } from '../../base/session-upstreams.ts'
import { fullBaseUrl, settingsArguments } from '../../clients/claude-code/full/settings-override.ts'
import { createRunFolder, writeTrustFiles } from '../../clients/claude-code/full/trust-files.ts'
import { runClient, type ClientEnd } from '../../clients/claude-code/run-client.ts'
import { CODEX_TRUST } from '../../clients/codex/connection.ts'
import { tunnelProxyUrl } from '../../../shared/tunnel-key.ts'
import { sayUnrecorded } from '../background-app.ts'
import { sayingWhatPassed } from '../client-presence.ts'
import { holdLease, type Lease } from '../tunnel-lease.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface FullRun {
  readonly app: RunningApp
  readonly dataDir: string
  /** The client's executable. */
  readonly client: string
  readonly args: readonly string[]
  readonly env: Environment
  /** The key of the tunnel, which only this run has. */
  readonly key: string
  /** What becomes of a client while no app serves. */
  readonly whenAway: 'pass' | 'refuse'
}

interface ClaudeRun extends FullRun {
  /** The variables that the client's settings set on top of its environment. */
  readonly settings: Environment
}

/** `aspy run --full -- claude`: runs Claude Code through the tunnel, with a key that expires when it exits. */
export function runFull(run: ClaudeRun): Promise<ClientEnd> {
  const { app, dataDir, client, args, env, settings, key } = run
  const effective = { ...env, ...settings }
  // A gateway stays one when setup has put our base URL before it.
  const named = upstreamNamedIn(dataDir, effective['ANTHROPIC_BASE_URL'] ?? '')
  const leading = named === null ? effective : { ...effective, ANTHROPIC_BASE_URL: named }
  return withLease(run, 'claude-code', effective, (lease, folder) => {
    const { tunnel, ca, ca_file, hosts } = lease
    const baseUrl = fullBaseUrl({ env: leading, ourProxy: app.proxyUrl, hosts })
    const files = writeTrustFiles(folder, effective, { pem: ca, file: ca_file })
    const variables = fullVariables(effective, { proxyUrl: tunnelProxyUrl(tunnel, key), hosts, files })
    const override = { args, settings, variables, baseUrl: baseUrl ?? `https://${hosts[0] ?? ''}`, folder }
    const flags = settingsArguments(override)
    const clientEnv = { ...env, ...variables, ANTHROPIC_BASE_URL: baseUrl ?? undefined }
    return runClient(client, [...flags, ...args], clientEnv)
  })
}

/** `aspy run --full -- codex`: runs Codex through the tunnel. Its arguments and files stay as they are. */
export function runCodexFull(run: FullRun): Promise<ClientEnd> {
  const { client, args, env, key } = run
  return withLease(run, 'codex', env, ({ tunnel, ca, ca_file, hosts }, folder) => {
    const files = writeTrustFiles(folder, env, { pem: ca, file: ca_file }, [CODEX_TRUST])
    const variables = fullVariables(env, { proxyUrl: tunnelProxyUrl(tunnel, key), hosts, files })
    return runClient(client, args, { ...env, ...variables })
  })
}

/** While no app serves, the client runs as without Aspy, unless the settings refuse that. */
async function withLease(
  run: FullRun,
  name: 'claude-code' | 'codex',
  env: Environment,
  work: (lease: Lease, folder: string) => Promise<ClientEnd>,
): Promise<ClientEnd> {
  const { app, dataDir, key, client, args } = run
  const leaving = new AbortController()
  const folder = createRunFolder(dataDir)
  try {
    const input = { tunnel_key: key, client: name, ...outerProxyOf(env) }
    const lease = await holdLease({ app, dataDir, input, signal: leaving.signal })
    return await sayingWhatPassed(dataDir, () => work(lease, folder.path))
  } catch (error) {
    if (!(error instanceof AspyError && error.code === 'gone') || run.whenAway === 'refuse') throw error
    sayUnrecorded(error.message)
    return await runClient(client, args, run.env)
  } finally {
    leaving.abort()
    folder.remove()
  }
}
