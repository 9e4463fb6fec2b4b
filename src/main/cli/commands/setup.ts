import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BASE_URL_COSTS } from '../../../shared/base-url-costs.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { claudeFolder } from '../../clients/claude-code/claude-folder.ts'
import { runProgram } from '../../login-service/run-program.ts'
import { serviceManagerOf } from '../../login-service/service-manager.ts'
import { setBaseUrl, undoBaseUrl } from '../../clients/claude-code/setup/base-url.ts'
import { preparePluginPlaces } from '../../clients/claude-code/setup/plugin-places.ts'
import { setUp, undoSetUp } from '../../clients/claude-code/setup/setup.ts'
import { findRunningApp, type RunningApp } from '../../base/data-folder.ts'
import { overHttp } from '../client.ts'
import { ownCommand } from '../own-command.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'

export interface SetupFlags extends CommonFlags {
  readonly undo?: boolean
  readonly thinking?: boolean
  readonly baseUrl?: boolean
  readonly claudeDir?: string
  readonly json?: boolean
}

/** How long a login service may take until it serves, in ms. */
const SERVE_MS = 30_000
/** What the app needs of this shell's environment that a login service would not have. */
const KEPT_ENVIRONMENT = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|aspy_(?!node$|log$)\w+)$/i

/** `aspy setup`: the plugin, and on request thinking summaries and the base URL; `--undo` takes all of it back. */
export async function setup(settings: RunSettings, flags: SetupFlags): Promise<void> {
  const done = flags.undo ? await undo(settings) : await install(settings, flags)
  const offers = flags.undo ? [] : offersOf(flags)
  if (flags.json) console.log(JSON.stringify({ done, offers }))
  else if (flags.undo) console.log(done.length === 0 ? 'Nothing of ours was there.' : done.join('\n'))
  else console.log([...done, '', ...NEXT, ...offers.map(({ flag, text }) => `  ${flag.padEnd(12)}${text}`)].join('\n'))
}

const NEXT = [
  'Claude Code loads the plugin at its next start. What passes is recorded when it runs through Aspy:',
  '  npx aspy run -- claude',
  'aspy setup --undo takes all of this back. Further:',
]

function offersOf(flags: SetupFlags): { readonly flag: string; readonly text: string }[] {
  return [
    ...(flags.thinking
      ? []
      : [
          {
            flag: '--thinking',
            text: 'asks Claude Code for summaries of its thinking (showThinkingSummaries); without them most sessions have no thinking to recall',
          },
        ]),
    ...(flags.baseUrl
      ? []
      : [
          {
            flag: '--base-url',
            text: `every client goes through Aspy, started at login, without aspy run. What it costs: ${BASE_URL_COSTS}`,
          },
        ]),
  ]
}

async function install(settings: RunSettings, flags: SetupFlags): Promise<string[]> {
  const { dataDir, loaded } = settings
  const running = await findRunningApp(dataDir)
  const appPort = running?.ports.app ?? loaded.config.app.port
  const places = preparePluginPlaces({ dataDir, aspy: ownCommand(), appPort })
  const claudeDir = resolve(flags.claudeDir ?? claudeFolder(process.env, homedir()))
  // First what may be refused: then nothing at all has changed.
  const baseUrl = flags.baseUrl ? await installBaseUrl(settings, flags, { claudeDir, running }) : []
  const plugin = setUp({ ...places, claudeDir, withThinking: flags.thinking ?? false })
  return [...plugin, ...baseUrl]
}

async function installBaseUrl(
  { dataDir, loaded }: RunSettings,
  flags: SetupFlags,
  { claudeDir, running }: { readonly claudeDir: string; readonly running: RunningApp | null },
): Promise<string[]> {
  const { port } = loaded.config.proxy
  if (port === 0) {
    throw new AspyError('bad_input', 'the port of the proxy is 0 (any): a base URL needs a fixed one, set [proxy] port')
  }
  const proxyUrl = `http://127.0.0.1:${port}`
  const configFile = flags.config ?? (process.env['ASPY_CONFIG'] || undefined)
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['--config', configFile && resolve(configFile)],
    ['--port', flags.port],
    ['--proxy-port', flags.proxyPort],
    ['--upstream', flags.upstream],
  ]
  const ownFlags = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]))
  return setBaseUrl({
    dataDir,
    settingsFile: join(claudeDir, 'settings.json'),
    configFile: resolve(configFile ?? join(dataDir, 'config.toml')),
    proxyUrl,
    env: process.env,
    services: serviceManagerHere(),
    service: {
      command: [...ownCommand(), 'serve', '--data', dataDir, ...ownFlags],
      env: Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) =>
          value && KEPT_ENVIRONMENT.test(name) ? [[name, value] as const] : [],
        ),
      ),
      logFile: join(dataDir, 'serve.log'),
    },
    runningUpstream: running === null ? null : (await overHttp(running, dataDir).call('health.get', {})).upstream,
    isServed: () => isServed(dataDir, proxyUrl),
  })
}

async function isServed(dataDir: string, proxyUrl: string): Promise<boolean> {
  for (const started = performance.now(); performance.now() - started < SERVE_MS; await pause(100)) {
    if ((await findRunningApp(dataDir))?.proxyUrl === proxyUrl) return true
  }
  return false
}

async function undo({ dataDir }: RunSettings): Promise<string[]> {
  return [...(await undoBaseUrl(dataDir, serviceManagerHere())), ...undoSetUp(dataDir)]
}

function serviceManagerHere() {
  const { platform, env } = process
  return serviceManagerOf({ platform, env, home: homedir(), uid: process.getuid?.() ?? 0, run: runProgram })
}
