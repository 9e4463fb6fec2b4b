import { createTunnelKey } from '../../base/installed-tunnel-key.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { fullVariables, outerProxyOf } from '../../clients/claude-code/full/full-variables.ts'
import { fullBaseUrl, settingsArguments } from '../../clients/claude-code/full/settings-override.ts'
import { createRunFolder, writeTrustFiles } from '../../clients/claude-code/full/trust-files.ts'
import { runClient, type ClientEnd } from '../../clients/claude-code/run-client.ts'
import { tunnelProxyUrl } from '../../../shared/tunnel-key.ts'
import { holdLease } from '../tunnel-lease.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface FullRun {
  readonly app: RunningApp
  readonly dataDir: string
  readonly client: string
  readonly args: readonly string[]
  /** The client's environment, and the variables that its settings set on top of it. */
  readonly env: Environment
  readonly settings: Environment
}

/** `aspy run --full`: runs a client through the tunnel, with a key that ends with it. */
export async function runFull({ app, dataDir, client, args, env, settings }: FullRun): Promise<ClientEnd> {
  const effective = { ...env, ...settings }
  const key = createTunnelKey()
  const leaving = new AbortController()
  const folder = createRunFolder(dataDir)
  try {
    const input = { tunnel_key: key, ...outerProxyOf(effective) }
    const { tunnel, ca, ca_file, hosts } = await holdLease({ app, dataDir, input, signal: leaving.signal })
    const baseUrl = fullBaseUrl({ env: effective, ourProxy: app.proxyUrl, hosts })
    const files = writeTrustFiles(folder.path, effective, { pem: ca, file: ca_file })
    const variables = fullVariables(effective, { proxyUrl: tunnelProxyUrl(tunnel, key), hosts, files })
    const override = { args, settings, variables, baseUrl: baseUrl ?? `https://${hosts[0] ?? ''}`, folder: folder.path }
    const flags = settingsArguments(override)
    const clientEnv = { ...env, ...variables, ANTHROPIC_BASE_URL: baseUrl ?? undefined }
    return await runClient(client, [...flags, ...args], clientEnv)
  } finally {
    leaving.abort()
    folder.remove()
  }
}
