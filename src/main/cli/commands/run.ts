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
import { createRun, runOfKey } from '../../base/client-run.ts'
import { createTunnelKey } from '../../base/installed-tunnel-key.ts'
import { connectionTo, type Connection } from '../../clients/claude-code/connection.ts'
import { clientSettings, settingsEnvironment } from '../../clients/claude-code/client-settings.ts'
import { findClient } from '../../clients/claude-code/find-client.ts'
import { endAs, runClient } from '../../clients/claude-code/run-client.ts'
import { redirectionOf } from '../../clients/redirection.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { startForClient } from '../background-app.ts'
import { whilePresent } from '../client-presence.ts'
import { upstreamsOf } from '../lasting-app.ts'
import { AWAY, findOrWakeApp } from '../wake-app.ts'
import { sayRecorded } from '../recorded-run.ts'
import { runCodex } from './run-codex.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'
import { runFull } from './run-full.ts'
import { sayAside } from '../wrap.ts'

/** `aspy run -- claude …`: runs a client through the proxy, or with `--full` through the tunnel, and records it. */
export async function run(
  { dataDir, loaded, isDemo, fault }: RunSettings,
  [command = 'claude', ...args]: readonly string[],
  flags: CommonFlags & { readonly thinking?: boolean; readonly assume?: boolean; readonly full?: boolean },
): Promise<void> {
  const client = findClient(command, process.env, homedir())
  if (fault !== undefined && (await isUnserved(dataDir, fault, flags))) {
    endAs(await runClient(client, [...(flags.thinking ? THINKING_ARGUMENTS : []), ...args], process.env))
    return
  }
  if (/^codex\b/i.test(basename(client))) return runCodex({ dataDir, loaded, isDemo }, client, args, flags)
  const running = await findOrWakeApp(dataDir)
  const ourProxy = running?.proxyUrl ?? `http://127.0.0.1:${loaded.config.proxy.port}`
  const isClaude = /^claude\b/i.test(basename(client))
  const settings = isClaude ? settingsEnvironment(clientSettings(process.env, homedir(), process.cwd())) : {}
  const cloud = cloudOf({ ...process.env, ...settings })
  if (isClaude && cloud !== null) sayAside(`aspy: this client talks to ${cloud} and bypasses Aspy. ${CLOUD_ADVICE}`)
  // In full mode the base URL is not used.
  const set = flags.full ? null : upstreamOf({ ...process.env, ...settings }, ourProxy, dataDir)
  const upstream = flags.upstream ?? set
  const app = running ?? (await startForClient({ dataDir, loaded }, flags))
  const thinking = flags.thinking ? THINKING_ARGUMENTS : []
  if (app === null) {
    const leadsHere = isOrigin({ ...process.env, ...settings }['ANTHROPIC_BASE_URL'], ourProxy)
    // Nobody answers there, or another program that has the port.
    const direct = leadsHere ? { ANTHROPIC_BASE_URL: upstream ?? loaded.config.proxy.upstream } : null
    const words = [...thinking, ...(direct === null ? [] : settingsOverride(args, settings, direct)), ...args]
    return endAs(await runClient(client, words, { ...process.env, ...direct }))
  }
  if (flags.full) {
    const words = [...thinking, ...args]
    const key = createTunnelKey()
    const whenAway = loaded.config.guard.when_away
    const inTunnel = () => runFull({ app, dataDir, client, args: words, env: process.env, settings, key, whenAway })
    endAs(await sayRecorded({ dataDir, command: 'run --full', run: runOfKey(key) }, inTunnel))
    return
  }
  if (app.proxyUrl === null) throw new AspyError('internal', `the app at ${app.appUrl} has no proxy`)
  const usual = (await upstreamsOf(dataDir, app))?.upstream ?? null
  const name = createRun()
  const base = {
    dataDir,
    proxyUrl: app.proxyUrl,
    upstream: upstream ?? usual ?? loaded.config.proxy.upstream,
    // Other clients go on to theirs, with their own keys.
    isOwn: upstream !== null && (usual === null || new URL(usual).href !== new URL(upstream).href),
    assume: flags.assume,
  }
  const plain = connectionTo(base)
  // What the settings say wins: a client that they lead to us is started as it is, and its run has no name.
  const connection =
    settings['ANTHROPIC_BASE_URL'] === plain.ANTHROPIC_BASE_URL ? plain : connectionTo({ ...base, run: name })
  const ours = [...thinking, ...settingsOverride(args, settings, connection)]
  const env = clientEnvironment(process.env, connection)
  const redirection = redirectionOf(client, { baseUrl: connection.ANTHROPIC_BASE_URL, args, env: process.env })
  const words = [...(redirection?.args ?? []), ...ours, ...args]
  const variables = { ...env, ...redirection?.variables }
  const present = () => whilePresent(app, dataDir, () => runClient(client, words, variables), args)
  try {
    endAs(await sayRecorded({ dataDir, command: 'run', run: name }, present))
  } finally {
    redirection?.undo()
  }
}

/**
 * Says what is wrong with the config file, and returns whether no app or keeper takes the client: it then runs as without Aspy.
 * Throws `bad_input` if it must go to another address, since nothing would take it there.
 */
async function isUnserved(dataDir: string, fault: string, { upstream }: CommonFlags): Promise<boolean> {
  const app = await findOrWakeApp(dataDir)
  if (app === null && upstream !== undefined) throw new AspyError('bad_input', fault)
  const lost = 'no app can start with it: nothing is recorded, and no cap of [guard] holds'
  sayAside(`aspy: ${fault} (${app === null || app.id === AWAY ? lost : 'the running app goes on with what it has'})`)
  return app === null
}

const isOrigin = (url = '', of: string): boolean => URL.canParse(url) && new URL(url).origin === new URL(of).origin

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
