import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BASE_URL_COSTS, FULL_MODE_COSTS } from '../../../shared/base-url-costs.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { PERMISSION } from '../../clients/claude-code/search-permission.ts'
import { claudeFolder } from '../../clients/claude-code/claude-folder.ts'
import type { LoginService } from '../../login-service/login-service.ts'
import { isTunnelProxyUrl } from '../../../shared/tunnel-key.ts'
import { rotateBaseUrl, setBaseUrl } from '../../clients/claude-code/setup/base-url.ts'
import { setFull } from '../../clients/claude-code/setup/full.ts'
import { createTunnelKey } from '../../base/installed-tunnel-key.ts'
import { holdLease } from '../tunnel-lease.ts'
import { removingLine } from '../../clients/claude-code/setup/removing-line.ts'
import { preparePluginPlaces, requireFixedPort } from '../../clients/claude-code/setup/plugin-places.ts'
import { readSetupRecord } from '../../clients/claude-code/setup/setup-record.ts'
import { codexFolder } from '../../clients/codex/codex-config.ts'
import { codexBaseUrl } from '../../clients/codex/connection.ts'
import { setUpCodex } from '../../clients/codex/setup/setup.ts'
import { setUp } from '../../clients/claude-code/setup/setup.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { findApp } from '../wake-app.ts'
import { shellQuoted } from '../../base/shell-quoted.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import { overHttp } from '../client.ts'
import { ownCommand } from '../own-command.ts'
import { hooksPort, requireOwnPorts } from '../ports-of-run.ts'
import { serviceManagerHere } from '../service-manager-here.ts'
import { flagsForServe } from '../flags.ts'
import type { CommonFlags, RunSettings } from '../settings-of-run.ts'
import { wrapped } from '../wrap.ts'
import { remains, undo } from './undo-setup.ts'

export interface SetupFlags extends CommonFlags {
  readonly undo?: boolean
  readonly thinking?: boolean
  readonly baseUrl?: boolean
  readonly full?: boolean
  readonly assume?: boolean
  readonly rotate?: boolean
  readonly claudeDir?: string
  readonly codex?: boolean
  readonly json?: boolean
}

/** Time in ms that a login service has to start serving. */
const SERVE_MS = 30_000
/** Port of the tunnel that settings name, unless the config says otherwise. */
const DEFAULT_TUNNEL_PORT = 2781
/** Variables of this shell that the app needs but a login service would not inherit. */
const SERVICE_ENVIRONMENT = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|aspy_(?!node$|log$)\w+)$/i

/**
 * `aspy setup`: installs the plugin and, on request, thinking summaries and the base URL; `--undo` removes them, and
 * `--rotate` only replaces the path secret.
 */
export async function setup(settings: RunSettings, flags: SetupFlags): Promise<void> {
  if (flags.rotate) {
    const done = rotateBaseUrl(settings.dataDir)
    console.log(flags.json ? JSON.stringify({ done, offers: [] }) : wrapped(done.join('\n')))
    return
  }
  if (!flags.undo && settings.fault !== undefined) throw new AspyError('bad_input', settings.fault)
  if (flags.codex && !flags.undo) return setUpCodexHere(settings, flags)
  const done = flags.undo ? await undo(settings) : await install(settings, flags)
  const offers = flags.undo ? [] : offersOf(flags, (await serviceManagerHere()?.isReachable()) === true)
  if (flags.json) console.log(JSON.stringify({ done, offers }))
  else if (flags.undo)
    console.log(wrapped([...(done.length === 0 ? ['Nothing to undo.'] : done), ...remains(settings)].join('\n')))
  else
    console.log(
      [
        wrapped(done.join('\n')),
        '',
        ...nextSteps(removingLine(readSetupRecord(settings.dataDir).changes, process.platform)),
        ...offers.map(({ flag, text }) => wrapped(`  ${flag.padEnd(12)}${text}`)),
      ].join('\n'),
    )
}

const nextSteps = (line: string | null) => [
  wrapped(
    `Claude Code loads the plugin the next time it starts: one tool to search with, hooks, agents, a skill and a command. Then ask Claude "what did we decide about …?". ${PERMISSION}`,
  ),
  'To record a session, run:',
  `  ${withTypedHere('aspy run -- claude')}`,
  wrapped(
    withTypedHere(
      'A plain claude is recorded in part: its hooks tell of prompts and tools while Aspy runs, but not of answers and costs. aspy import adds those afterwards.',
    ),
  ),
  ...(line === null ? [] : [wrapped('If Aspy itself is ever gone, this takes clients off it:'), `  ${line}`]),
  wrapped(withTypedHere('To undo these changes, run aspy setup --undo. More options:')),
]

/** `hasService`: something here starts programs at login. */
function offersOf(flags: SetupFlags, hasService: boolean): { readonly flag: string; readonly text: string }[] {
  return [
    ...(flags.thinking
      ? []
      : [
          {
            flag: '--thinking',
            text: 'Ask Claude Code for thinking summaries (showThinkingSummaries). Without them, most sessions have no thinking to recall.',
          },
        ]),
    ...(flags.full || flags.baseUrl
      ? []
      : !hasService
        ? [{ flag: 'alias', text: ALIAS }]
        : [
            {
              flag: '--full',
              text: `Send every client through Aspy's tunnel, also Desktop and IDE, which keeps all of Claude Code's features. Drawbacks: ${FULL_MODE_COSTS}.`,
            },
            {
              flag: '--base-url',
              text: `Send every client through Aspy, which starts at login; aspy run is not needed. Drawbacks: ${BASE_URL_COSTS}.`,
            },
          ]),
  ]
}

const ALIAS =
  process.platform === 'win32'
    ? `To record every session of a terminal, put this into your profile: function claude { ${withTypedHere('aspy run -- claude')} @args }`
    : `To record every session of a terminal, put this into your shell's profile: alias claude=${shellQuoted(withTypedHere('aspy run -- claude'))}`

async function install(given: RunSettings, flags: SetupFlags): Promise<string[]> {
  const { dataDir } = given
  const running = await findApp(dataDir)
  const claudeDir = resolve(flags.claudeDir ?? claudeFolder(process.env, homedir()))
  // Claude Code may not have run yet, and then creates its own folder; one that a person names exists.
  const isFolder = statSync(claudeDir, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === false || (isFolder === undefined && flags.claudeDir !== undefined))
    throw new AspyError(
      'bad_input',
      `${claudeDir} is not a folder; give that of Claude Code, by default ~/.claude. Nothing was changed`,
    )
  // The steps that can be refused come first, so that a refusal leaves everything unchanged.
  requireFixedPort(await hooksPort(given, running))
  if (flags.baseUrl && flags.full) throw new AspyError('bad_input', 'choose either --base-url or --full')
  const ports = flags.baseUrl || flags.full ? (['app.port', 'proxy.port'] as const) : (['app.port'] as const)
  const settings = running === null ? await requireOwnPorts(given, ports) : given
  const appPort = await hooksPort(settings, running)
  const baseUrl = flags.baseUrl ? await installBaseUrl(settings, flags, { claudeDir, running }) : []
  const full = flags.full ? await installFull(settings, flags, { claudeDir, running }) : []
  const { watch_changes: watchesFiles } = settings.loaded.config.files
  const places = preparePluginPlaces({ dataDir, aspy: ownCommand(), appPort, watchesFiles })
  const plugin = setUp({ ...places, claudeDir, withThinking: flags.thinking ?? false })
  return [...plugin, ...baseUrl, ...full]
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
  const next = withTypedHere(
    'To record a session, run aspy run -- codex. To undo these changes, run aspy setup --undo.',
    dataDir,
  )
  console.log(flags.json ? JSON.stringify({ done, offers: [] }) : wrapped([...done, '', next].join('\n')))
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
  return setBaseUrl({
    ...placesOf(dataDir, flags, claudeDir),
    proxyUrl,
    upstream: loaded.config.proxy.upstream,
    assume: flags.assume,
    runningUpstream: running === null ? null : (await overHttp(running, dataDir).call('health.get', {})).upstream,
    isServed: () => isServed(dataDir, proxyUrl),
  })
}

async function installFull(
  { dataDir, loaded }: RunSettings,
  flags: SetupFlags,
  { claudeDir, running }: { readonly claudeDir: string; readonly running: RunningApp | null },
): Promise<string[]> {
  const { tunnel_port, intercept_hosts } = loaded.config.proxy
  const port = tunnel_port || DEFAULT_TUNNEL_PORT
  return setFull({
    ...placesOf(dataDir, flags, claudeDir),
    port,
    hosts: intercept_hosts,
    runningPort: running === null ? null : (running.ports.tunnel ?? 0),
    authorities: () => authoritiesOf(dataDir, port),
  })
}

const placesOf = (dataDir: string, flags: SetupFlags, claudeDir: string) => ({
  dataDir,
  settingsFile: join(claudeDir, 'settings.json'),
  configFile: resolve(configFileOf(flags) ?? join(dataDir, 'config.toml')),
  env: process.env,
  services: serviceManagerHere(),
  service: serviceOf(dataDir, flags),
})

/** Waits until the tunnel is served on its port, and returns what clients must trust. */
async function authoritiesOf(dataDir: string, port: number) {
  for (const started = performance.now(); performance.now() - started < SERVE_MS; await pause(100)) {
    const app = await findApp(dataDir)
    if (app?.ports.tunnel !== port) continue
    const leaving = new AbortController()
    try {
      const input = { tunnel_key: createTunnelKey() }
      const { ca, ca_file } = await holdLease({ app, dataDir, input, signal: leaving.signal })
      return { pem: ca, file: ca_file }
    } finally {
      leaving.abort()
    }
  }
  return null
}

const configFileOf = (flags: SetupFlags) => flags.config ?? (process.env['ASPY_CONFIG'] || undefined)

/** Runs the app as a login service, with the flags that were given to setup. */
function serviceOf(dataDir: string, flags: SetupFlags): LoginService {
  const configFile = configFileOf(flags)
  const ownFlags = flagsForServe({ ...flags, config: configFile && resolve(configFile) })
  return {
    command: [...ownCommand(), 'serve', '--wait', '--data', dataDir, ...ownFlags],
    env: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value && SERVICE_ENVIRONMENT.test(name) && !isTunnelProxyUrl(value) ? [[name, value] as const] : [],
      ),
    ),
    logFile: join(dataDir, 'serve.log'),
  }
}

async function isServed(dataDir: string, proxyUrl: string): Promise<boolean> {
  for (const started = performance.now(); performance.now() - started < SERVE_MS; await pause(100)) {
    if ((await findApp(dataDir))?.proxyUrl === proxyUrl) return true
  }
  return false
}
