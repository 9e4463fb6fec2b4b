import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BASE_URL_COSTS } from '../../../shared/base-url-costs.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { claudeFolder } from '../../clients/claude-code/claude-folder.ts'
import { runProgram } from '../../login-service/run-program.ts'
import { serviceManagerOf } from '../../login-service/service-manager.ts'
import { rotateBaseUrl, setBaseUrl, undoBaseUrl } from '../../clients/claude-code/setup/base-url.ts'
import { preparePluginPlaces } from '../../clients/claude-code/setup/plugin-places.ts'
import { readSetupRecord } from '../../clients/claude-code/setup/setup-record.ts'
import { codexFolder } from '../../clients/codex/codex-config.ts'
import { codexBaseUrl } from '../../clients/codex/connection.ts'
import { setUpCodex, undoCodex } from '../../clients/codex/setup/setup.ts'
import { setUp, undoSetUp } from '../../clients/claude-code/setup/setup.ts'
import { findRunningApp, type RunningApp } from '../../base/running-app.ts'
import { typedCommand } from '../../base/typed-command.ts'
import { overHttp } from '../client.ts'
import { ownCommand } from '../own-command.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'

export interface SetupFlags extends CommonFlags {
  readonly undo?: boolean
  readonly thinking?: boolean
  readonly baseUrl?: boolean
  readonly assume?: boolean
  readonly rotate?: boolean
  readonly claudeDir?: string
  readonly codex?: boolean
  readonly json?: boolean
}

/** Time in ms that a login service has to start serving. */
const SERVE_MS = 30_000
/** Variables of this shell that the app needs but a login service would not inherit. */
const SERVICE_ENVIRONMENT = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|aspy_(?!node$|log$)\w+)$/i

/**
 * `aspy setup`: installs the plugin and, on request, thinking summaries and the base URL; `--undo` removes them, and
 * `--rotate` only replaces the path secret.
 */
export async function setup(settings: RunSettings, flags: SetupFlags): Promise<void> {
  if (flags.rotate) {
    const done = rotateBaseUrl(settings.dataDir)
    console.log(flags.json ? JSON.stringify({ done, offers: [] }) : done.join('\n'))
    return
  }
  if (flags.codex && !flags.undo) return setUpCodexHere(settings, flags)
  const done = flags.undo ? await undo(settings) : await install(settings, flags)
  const offers = flags.undo ? [] : offersOf(flags)
  if (flags.json) console.log(JSON.stringify({ done, offers }))
  else if (flags.undo) console.log(done.length === 0 ? 'Nothing to undo.' : done.join('\n'))
  else
    console.log(
      [
        ...done,
        '',
        ...nextSteps(typedCommand()),
        ...offers.map(({ flag, text }) => `  ${flag.padEnd(12)}${text}`),
      ].join('\n'),
    )
}

const nextSteps = (aspy: string) => [
  'Claude Code loads the plugin the next time it starts. To record a session, run:',
  `  ${aspy} run -- claude`,
  `To undo these changes, run ${aspy} setup --undo. More options:`,
]

function offersOf(flags: SetupFlags): { readonly flag: string; readonly text: string }[] {
  return [
    ...(flags.thinking
      ? []
      : [
          {
            flag: '--thinking',
            text: 'Ask Claude Code for thinking summaries (showThinkingSummaries). Without them, most sessions have no thinking to recall.',
          },
        ]),
    ...(flags.baseUrl
      ? []
      : [
          {
            flag: '--base-url',
            text: `Send every client through Aspy, which starts at login; aspy run is not needed. Drawbacks: ${BASE_URL_COSTS}.`,
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
  // The step that can be refused comes first, so that a refusal leaves everything unchanged.
  const baseUrl = flags.baseUrl ? await installBaseUrl(settings, flags, { claudeDir, running }) : []
  const plugin = setUp({ ...places, claudeDir, withThinking: flags.thinking ?? false })
  return [...plugin, ...baseUrl]
}

/** `aspy setup --codex`: the MCP server and a skill; with `--base-url`, also the base URL. */
function setUpCodexHere({ dataDir, loaded }: RunSettings, flags: SetupFlags): void {
  const { port } = loaded.config.proxy
  if (flags.baseUrl && (port === 0 || !readSetupRecord(dataDir).service)) {
    throw new AspyError(
      'conflict',
      'a base URL needs Aspy to start at login, or Codex would hang; run aspy setup --base-url first, or use aspy run -- codex. Nothing was changed',
    )
  }
  const done = setUpCodex({
    dataDir,
    folder: codexFolder(process.env, homedir()),
    aspy: ownCommand(),
    baseUrl: flags.baseUrl ? codexBaseUrl(dataDir, `http://127.0.0.1:${port}`) : null,
  })
  const aspy = typedCommand()
  const next = `To record a session, run ${aspy} run -- codex. To undo these changes, run ${aspy} setup --undo.`
  console.log(flags.json ? JSON.stringify({ done, offers: [] }) : [...done, '', next].join('\n'))
}

async function installBaseUrl(
  { dataDir, loaded }: RunSettings,
  flags: SetupFlags,
  { claudeDir, running }: { readonly claudeDir: string; readonly running: RunningApp | null },
): Promise<string[]> {
  const { port } = loaded.config.proxy
  if (port === 0) {
    throw new AspyError(
      'bad_input',
      'a base URL needs a fixed proxy port, but it is 0 (any free port); set [proxy] port',
    )
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
    upstream: loaded.config.proxy.upstream,
    assume: flags.assume,
    env: process.env,
    services: serviceManagerHere(),
    service: {
      command: [...ownCommand(), 'serve', '--data', dataDir, ...ownFlags],
      env: Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) =>
          value && SERVICE_ENVIRONMENT.test(name) ? [[name, value] as const] : [],
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
  return [...undoCodex(dataDir), ...(await undoBaseUrl(dataDir, serviceManagerHere())), ...undoSetUp(dataDir)]
}

function serviceManagerHere() {
  const { platform, env } = process
  return serviceManagerOf({ platform, env, home: homedir(), uid: process.getuid?.() ?? 0, run: runProgram })
}
