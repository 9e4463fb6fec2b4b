import { withTyped } from '../../base/typed-command.ts'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import {
  baseUrlArguments,
  clientEnvironment,
  CLOUD_ADVICE,
  cloudOf,
  THINKING_ARGUMENTS,
  upstreamOf,
} from '../../clients/claude-code/client-environment.ts'
import { connectionTo, type Connection } from '../../clients/claude-code/connection.ts'
import { clientSettings, settingsEnvironment } from '../../clients/claude-code/client-settings.ts'
import { findClient } from '../../clients/claude-code/find-client.ts'
import { endAs, runClient } from '../../clients/claude-code/run-client.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { startBackgroundApp } from '../background-app.ts'
import { overHttp } from '../client.ts'
import { whilePresent } from '../client-presence.ts'
import { AWAY, findOrWakeApp } from '../wake-app.ts'
import { runCodex } from './run-codex.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'
import { runFull } from './run-full.ts'

/** `aspy run -- claude …`: runs a client through the proxy, or with `--full` through the tunnel, and records it. */
export async function run(
  { dataDir, loaded, isDemo }: RunSettings,
  [command = 'claude', ...args]: readonly string[],
  flags: CommonFlags & { readonly thinking?: boolean; readonly assume?: boolean; readonly full?: boolean },
): Promise<void> {
  const client = findClient(command, process.env, homedir())
  if (/^codex\b/i.test(basename(client))) return runCodex({ dataDir, loaded, isDemo }, client, args, flags)
  const running = await findOrWakeApp(dataDir)
  const ourProxy = running?.proxyUrl ?? `http://127.0.0.1:${loaded.config.proxy.port}`
  const isClaude = /^claude\b/i.test(basename(client))
  const settings = isClaude ? settingsEnvironment(clientSettings(process.env, homedir(), process.cwd())) : {}
  const cloud = cloudOf({ ...process.env, ...settings })
  if (isClaude && cloud !== null)
    console.error(`aspy: this client talks to ${cloud} and bypasses Aspy. ${withTyped(CLOUD_ADVICE)}`)
  // In full mode the base URL is not used.
  const set = flags.full ? null : upstreamOf({ ...process.env, ...settings }, ourProxy)
  const upstream = flags.upstream ?? set
  const app = running ?? (await startBackgroundApp(dataDir, flagsForServe(flags, upstream)))
  const forwardsTo = running === null || running.id === AWAY ? null : await upstreamOfApp(running, dataDir)
  if (forwardsTo !== null && upstream !== null) refuseOtherUpstream(forwardsTo, upstream)
  const thinking = flags.thinking ? THINKING_ARGUMENTS : []
  if (flags.full) {
    const words = [...thinking, ...args]
    endAs(await runFull({ app, dataDir, client, args: words, env: process.env, settings }))
    return
  }
  if (app.proxyUrl === null) throw new AspyError('internal', `the app at ${app.appUrl} has no proxy`)
  const connection = connectionTo({
    dataDir,
    proxyUrl: app.proxyUrl,
    upstream: forwardsTo ?? upstream ?? loaded.config.proxy.upstream,
    assume: flags.assume,
  })
  const ours = [...thinking, ...settingsOverride(args, settings, connection)]
  const env = clientEnvironment(process.env, connection)
  endAs(await whilePresent(app, dataDir, () => runClient(client, [...ours, ...args], env)))
}

/** Returns the client's own flag for the base URL if its settings set another one, since settings win over the environment. */
function settingsOverride(
  args: readonly string[],
  settings: Readonly<Record<string, string | undefined>>,
  connection: Connection,
): readonly string[] {
  const { ANTHROPIC_BASE_URL: set } = settings
  const { ANTHROPIC_BASE_URL: wanted } = connection
  if (!set || set === wanted) return []
  if (args.some((arg) => arg === '--settings' || arg.startsWith('--settings='))) {
    // Our address without the current path secret: such traffic is still recorded.
    if (new URL(set).origin === new URL(wanted).origin) return []
    throw new AspyError(
      'conflict',
      `your settings send Claude Code to ${set} and bypass Aspy; add "ANTHROPIC_BASE_URL": "${wanted}" under "env" to the settings you pass with --settings`,
    )
  }
  return baseUrlArguments(connection)
}

function flagsForServe(flags: CommonFlags, upstream: string | null): string[] {
  const given: readonly (readonly [string, string | number | null | undefined])[] = [
    ['--config', flags.config],
    ['--port', flags.port],
    ['--proxy-port', flags.proxyPort],
    ['--tunnel-port', flags.tunnelPort],
    ['--upstream', upstream],
  ]
  return given.flatMap(([name, value]) => (value === undefined || value === null ? [] : [name, String(value)]))
}

async function upstreamOfApp(app: RunningApp, dataDir: string): Promise<string> {
  return (await overHttp(app, dataDir).call('health.get', {})).upstream
}

/** Refuses a client meant for another upstream: an app forwards to one only, so the client's key would go astray. */
function refuseOtherUpstream(upstream: string, wanted: string): void {
  if (new URL(upstream).href === new URL(wanted).href) return
  throw new AspyError(
    'conflict',
    `the running app forwards to ${upstream}, but this client is configured for ${wanted}; stop the app, or restart it with --upstream ${wanted}`,
  )
}
