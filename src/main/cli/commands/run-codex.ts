import { homedir } from 'node:os'
import { createRun, runOfKey } from '../../base/client-run.ts'
import { createTunnelKey } from '../../base/installed-tunnel-key.ts'
import { withNoProxy } from '../../clients/claude-code/client-environment.ts'
import { codexFolder, readCodexConfig } from '../../clients/codex/codex-config.ts'
import { baseUrlInArguments, codexArguments, codexBaseUrl } from '../../clients/codex/connection.ts'
import { endAs, runClient } from '../../clients/claude-code/run-client.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { runCodexFull } from './run-full.ts'
import { startForClient } from '../background-app.ts'
import { whilePresent } from '../client-presence.ts'
import { upstreamsOf } from '../lasting-app.ts'
import { sayRecorded } from '../recorded-run.ts'
import { findOrWakeApp } from '../wake-app.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'
import { sayAside } from '../wrap.ts'

/** `aspy run -- codex …`: runs Codex through the proxy, or with `--full` the tunnel. `client` is its executable. */
export async function runCodex(
  { dataDir, loaded }: RunSettings,
  client: string,
  args: readonly string[],
  flags: CommonFlags & { readonly full?: boolean },
): Promise<void> {
  const running = await findOrWakeApp(dataDir)
  const ourProxy = running?.proxyUrl ?? `http://127.0.0.1:${loaded.config.proxy.port}`
  const config = readCodexConfig(codexFolder(process.env, homedir()))
  if (config.provider !== null && config.provider !== 'openai')
    sayAside(`aspy: this client uses the model provider "${config.provider}" and bypasses Aspy.`)
  const baseUrl = baseUrlInArguments(args) ?? config.baseUrl
  if (flags.full) refuseBaseUrl(baseUrl, ourProxy)
  const upstream = flags.upstream ?? (flags.full ? null : otherThan(ourProxy, baseUrl))
  const app =
    running ??
    (await startForClient(
      { dataDir, loaded },
      flags,
      { ...flags, upstream: undefined },
      environmentForServe(flags.upstream),
    ))
  if (app === null) {
    if (baseUrl !== null && otherThan(ourProxy, baseUrl) === null)
      throw new AspyError('conflict', `openai_base_url sends Codex to ${originOf(baseUrl)}; aspy off removes it`)
    return endAs(await runClient(client, args, process.env))
  }
  if (flags.full) {
    const key = createTunnelKey()
    const whenAway = loaded.config.guard.when_away
    const inTunnel = () => runCodexFull({ app, dataDir, client, args, env: process.env, key, whenAway })
    endAs(await sayRecorded({ dataDir, command: 'run --full', run: runOfKey(key) }, inTunnel))
    return
  }
  if (app.proxyUrl === null) throw new AspyError('internal', `the app at ${app.appUrl} has no proxy`)
  // If a setting is repeated, Codex uses the last one, so the user's own would win over ours.
  const given = withoutBaseUrl(args)
  const run = createRun()
  const own = await ownUpstream(app, dataDir, upstream)
  const ours = codexArguments(codexBaseUrl(dataDir, app.proxyUrl, own, run))
  const env = withNoProxy(process.env)
  const present = () => whilePresent(app, dataDir, () => runClient(client, [...ours, ...given], env), args)
  endAs(await sayRecorded({ dataDir, command: 'run', run }, present))
}

/** Refuses a base URL in full mode: the client would not go to the hosts that the tunnel records. */
function refuseBaseUrl(baseUrl: string | null, ourProxy: string): void {
  if (baseUrl === null) return
  const isOurs = URL.canParse(baseUrl) && new URL(baseUrl).origin === new URL(ourProxy).origin
  const mend = isOurs
    ? 'run this without --full, or remove it with aspy setup --undo'
    : 'remove openai_base_url, or run this without --full'
  throw new AspyError('conflict', `openai_base_url sends Codex to ${originOf(baseUrl)}, past the tunnel; ${mend}`)
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/** Returns an address that is not our own proxy's; null for ours or none. */
function otherThan(ourProxy: string, baseUrl: string | null): string | null {
  if (baseUrl === null) return null
  if (!URL.canParse(baseUrl)) throw new AspyError('bad_input', `openai_base_url is not a valid address: ${baseUrl}`)
  return new URL(baseUrl).origin === new URL(ourProxy).origin ? null : baseUrl
}

/** Removes the user's own base URL, which became our upstream. */
function withoutBaseUrl(args: readonly string[]): readonly string[] {
  const isSetting = (text: string | undefined) => /^\s*openai_base_url\s*=/.test(text ?? '')
  return args.filter((arg, index) => {
    const before = args[index - 1]
    if (isSetting(arg) && (before === '-c' || before === '--config')) return false
    if ((arg === '-c' || arg === '--config') && isSetting(args[index + 1])) return false
    return !isSetting(/^(?:-c|--config=)(.+)$/.exec(arg)?.[1])
  })
}

/** The upstream of Codex only; that of other clients stays. */
const environmentForServe = (upstream: string | undefined): Readonly<Record<string, string>> =>
  upstream === undefined ? {} : { ASPY_PROXY_UPSTREAMS: JSON.stringify({ openai: upstream, chatgpt: upstream }) }

/** Returns the upstream of this session if the app does not forward Codex to it anyway; else null. */
async function ownUpstream(app: RunningApp, dataDir: string, wanted: string | null): Promise<string | null> {
  const upstreams = wanted === null ? undefined : (await upstreamsOf(dataDir, app))?.upstreams
  const isSame = (url: string) => wanted !== null && new URL(url).href === new URL(wanted).href
  return upstreams !== undefined && isSame(upstreams.openai) && isSame(upstreams.chatgpt) ? null : wanted
}
