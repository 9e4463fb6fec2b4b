import { homedir } from 'node:os'
import { clientEnvironment, THINKING_ARGUMENTS, upstreamOf } from '../../claude-code/client-environment.ts'
import { findClient } from '../../claude-code/find-client.ts'
import { endAs, runClient } from '../../claude-code/run-client.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { findRunningApp, readKey } from '../../data-folder.ts'
import type { RunningApp } from '../../data-folder.ts'
import { startBackgroundApp } from '../background-app.ts'
import { overHttp } from '../client.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'

/** `aspy run -- claude …`: the client, recorded. */
export async function run(
  { dataDir }: RunSettings,
  [command = 'claude', ...args]: readonly string[],
  flags: CommonFlags & { readonly thinking?: boolean },
): Promise<void> {
  const client = findClient(command, process.env, homedir())
  const running = await findRunningApp(dataDir)
  const upstream = flags.upstream ?? upstreamOf(process.env, running?.proxyUrl ?? null)
  const app = running ?? (await startBackgroundApp(dataDir, flagsForServe(flags, upstream)))
  if (running !== null && upstream !== null) await refuseOtherUpstream(running, dataDir, upstream)
  if (app.proxyUrl === null) throw new AspyError('internal', `the app at ${app.appUrl} has no proxy`)
  const presence = new AbortController()
  void stayPresent(app, dataDir, presence.signal)
  try {
    const all = flags.thinking ? [...THINKING_ARGUMENTS, ...args] : args
    endAs(await runClient(client, all, clientEnvironment(process.env, app.proxyUrl)))
  } finally {
    presence.abort()
  }
}

function flagsForServe(flags: CommonFlags, upstream: string | null): string[] {
  const given: readonly (readonly [string, string | number | null | undefined])[] = [
    ['--config', flags.config],
    ['--port', flags.port],
    ['--proxy-port', flags.proxyPort],
    ['--upstream', upstream],
  ]
  return given.flatMap(([name, value]) => (value === undefined || value === null ? [] : [name, String(value)]))
}

/** An app forwards to one upstream: a client that means another would send its key to the wrong place. */
async function refuseOtherUpstream(app: RunningApp, dataDir: string, wanted: string): Promise<void> {
  const { upstream } = await overHttp(app, dataDir).call('health.get', {})
  if (new URL(upstream).href === new URL(wanted).href) return
  throw new AspyError(
    'conflict',
    `the running app forwards to ${upstream}, but this client is meant for ${wanted}: stop the app, or start it with --upstream ${wanted}`,
  )
}

/** Holds a line to the app as long as the client runs, so that it does not leave while the client is quiet. */
async function stayPresent(app: RunningApp, dataDir: string, signal: AbortSignal): Promise<void> {
  const key = readKey(dataDir, 'token') ?? ''
  const headers = { authorization: `Bearer ${key}` }
  try {
    const response = await fetch(`${app.appUrl}/api/live?session_id=none`, { headers, signal })
    for await (const _ of response.body ?? []) continue
  } catch {
    // The app has ended, or we have: in both cases there is nothing left to hold.
  }
}
