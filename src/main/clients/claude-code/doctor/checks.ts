import { byteSize } from '../../../../shared/byte-size.ts'
import { LOST_FEATURES } from '../../../../shared/base-url-costs.ts'
import { CLOUD_ADVICE } from '../client-environment.ts'
import { PERMISSION } from '../search-permission.ts'
import { ASSUME_VARIABLE, isFirstParty } from '../connection.ts'
import { KNOWN_CLIENT, type DoctorFacts } from './facts.ts'

/** The result of one check. */
export interface Finding {
  readonly check: string
  /** `note`: nothing is wrong, but the user should know. */
  readonly verdict: 'ok' | 'note' | 'warning' | 'failure'
  readonly said: string
  /** The fix; null if there is nothing to do. */
  readonly mend: string | null
  /** The same fix as what `aspy doctor --fix` does; absent if only a person can do it. */
  readonly fix?: Fix
}

/** The mode that a file or folder should have. */
export interface WantedMode {
  readonly path: string
  readonly mode: number
}

/** A fix that can be undone: an own command without `aspy`, or modes. */
export type Fix = { readonly command: readonly string[] } | { readonly modes: readonly WantedMode[] }

type Said = Omit<Finding, 'check'>
type Check = (facts: DoctorFacts) => Said

const ok = (said: string): Said => ({ verdict: 'ok', said, mend: null })
const note = (said: string, mend: string | null): Said => ({ verdict: 'note', said, mend })
const warning = (said: string, mend: string): Said => ({ verdict: 'warning', said, mend })
const failure = (said: string, mend: string): Said => ({ verdict: 'failure', said, mend })
/** Says that one of our own commands is the fix. */
const byCommand = (said: Said): Said =>
  said.mend === null ? said : { ...said, fix: { command: said.mend.split(' ').slice(1) } }

const GB = 1024 ** 3

/** Returns what to type so that a network proxy does not get what is for this machine. */
export const withoutProxy = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32'
    ? '$env:NO_PROXY += ",127.0.0.1" in PowerShell, or set NO_PROXY=%NO_PROXY%,127.0.0.1 in cmd'
    : 'export NO_PROXY="$NO_PROXY,127.0.0.1"'

const CHECKS: { readonly [check: string]: Check } = {
  node: ({ nodeVersion }) =>
    Number(/^v?(\d+)/.exec(nodeVersion)?.[1]) >= 24
      ? ok(`Node ${nodeVersion}`)
      : failure(`Node ${nodeVersion} is too old`, 'install Node 24 or newer, or run npm rebuild node'),

  'data folder': ({ dataDir, modes }) => {
    const open = modes.filter(({ mode, wanted }) => (mode & ~wanted) !== 0)
    if (open.length === 0) return ok(dataDir)
    const commands = open.map(({ path, wanted }) => `chmod ${wanted.toString(8)} '${path}'`)
    return {
      ...failure(
        `other users of this machine can read ${open.map(({ path }) => path).join(', ')}`,
        commands.join('; '),
      ),
      fix: { modes: open.map(({ path, wanted }) => ({ path, mode: wanted })) },
    }
  },

  app: ({ app, impostor, isPassedOn }) => {
    if (impostor !== null) return failure(impostor, 'aspy doctor again, once that program is stopped')
    if (isPassedOn) return warning('no app is running: its keeper passes requests on, unrecorded', 'aspy restart')
    if (app === null)
      return note('no app is running on this data', 'start one with aspy run -- claude, or with aspy serve')
    const [first, ...more] = app.warnings
    if (first === undefined) return ok(`running (pid ${app.pid}): ${app.appUrl}, proxy ${app.proxyUrl ?? 'off'}`)
    const others = more.length === 0 ? '' : ` (${more.length} more in Health)`
    return warning(`running, with a warning: ${first.message}${others}`, first.fix)
  },

  ports: ({ takenPorts }) => {
    if (takenPorts.length === 0) return ok('available')
    const ports = takenPorts.map(({ port, setting }) => `${port} ([${setting}] port)`).join(' and ')
    const said = `another program uses port ${ports}`
    const chosen = takenPorts.find(({ isChosen }) => isChosen)
    if (chosen === undefined)
      return note(said, 'aspy, aspy run, aspy serve and aspy setup take others, and write them to config.toml')
    return failure(said, `choose another with ${chosen.flag} N or in config.toml`)
  },

  'base URL': ({ baseUrl, proxyUrl }) => {
    if (baseUrl === null) return ok('not set; aspy run sends a client through Aspy')
    const { url, from, isServed, isOfAspy } = baseUrl
    const isOurs = sameOrigin(url, proxyUrl)
    if (isServed === false) {
      const unset = from === 'the environment' ? 'unset ANTHROPIC_BASE_URL' : `remove ANTHROPIC_BASE_URL from ${from}`
      return failure(
        `${from} sends Claude Code to ${url}, but nothing is listening there, so it hangs for minutes`,
        isOurs
          ? `run aspy serve, or aspy setup --undo, or ${unset}`
          : isOfAspy
            ? `an Aspy that is gone, or has another port, gave it: ${from === 'the environment' ? unset : 'run aspy off'}`
            : `start the server at that address, or ${unset}`,
      )
    }
    return isOurs
      ? ok(`every client goes through Aspy (${from})`)
      : note(
          `${from} sends Claude Code to ${url}, which bypasses Aspy`,
          'aspy run -- claude records it and keeps that upstream',
        )
  },

  'first party': ({ baseUrl, proxyUrl, assumed: { isAssumed, isFirstParty, isKnown }, client }) => {
    if (baseUrl === null || !sameOrigin(baseUrl.url, proxyUrl)) {
      return isFirstParty && isKnown === false
        ? warning(`with aspy run, this Claude Code leaves out ${LOST_FEATURES}: it is too old`, 'update Claude Code')
        : ok('aspy run decides for each session')
    }
    if (isAssumed && !isFirstParty) {
      return warning(
        "Claude Code treats the upstream as Anthropic's own address, but it is another",
        `aspy setup --base-url --no-assume, or unset ${ASSUME_VARIABLE}, unless the gateway passes everything through`,
      )
    }
    if (!isAssumed && isFirstParty) {
      return byCommand(
        warning(
          `with this base URL, Claude Code leaves out what it sends to Anthropic's own address: ${LOST_FEATURES}`,
          'aspy setup --base-url',
        ),
      )
    }
    if (isAssumed && isKnown === false) {
      return warning(
        `Claude Code ${client?.version ?? ''} does not know ${ASSUME_VARIABLE}, so it leaves out ${LOST_FEATURES}`,
        'update Claude Code',
      )
    }
    return ok(isAssumed ? 'Claude Code sends what it sends without a base URL' : 'the upstream is a gateway')
  },

  tunnel: ({ tunnel, app }) => {
    if (tunnel === null) return ok('not set; aspy run --full sends a client through it')
    const { url, from, missing, fault } = tunnel
    if (fault !== null) return failure(`${from} sends Claude Code through ${url}, but ${fault.said}`, fault.mend)
    if (missing.length > 0) {
      return byCommand(
        failure(
          `${from} sends Claude Code through ${url} without ${missing.join(' and ')}; another program may have changed it`,
          'aspy setup --full',
        ),
      )
    }
    return ok(`every client goes through ${url} (${from})${app === null ? ', which another Aspy serves' : ''}`)
  },

  'network proxy': ({ networkProxy, tunnel }) => {
    if (networkProxy === null) return ok('none')
    if (tunnel !== null) return ok("Aspy's tunnel")
    return networkProxy.skipsLoopback
      ? ok(`${networkProxy.variable}, bypassed for loopback`)
      : warning(
          `${networkProxy.variable} is set and NO_PROXY does not include 127.0.0.1, so requests to Aspy would go to that proxy`,
          `${withoutProxy()} (aspy run and setup --base-url do this for you)`,
        )
  },

  plugin: ({ plugins }) => {
    if (plugins.length === 0) return note('not installed, so Claude cannot search past sessions', 'aspy setup')
    const outdated = plugins.filter(({ isCurrent }) => isCurrent === false)
    const changed = outdated.every(({ differsByWatch }) => differsByWatch === true)
      ? 'files.watch_changes'
      : 'the port, the key or the path of aspy'
    return outdated.length === 0
      ? ok(plugins.map(({ folder }) => folder).join(', '))
      : byCommand(
          failure(
            `out of date in ${outdated.map(({ folder }) => folder).join(', ')}: ${changed} has changed`,
            'aspy setup',
          ),
        )
  },

  permission: ({ plugins, maySearch }) => {
    if (plugins.length === 0) return ok('not needed without the plugin')
    return maySearch ? ok('Claude may search without asking') : note(PERMISSION.replace(/\.$/, ''), null)
  },

  hooks: ({ plugins, settingsWithHooks }) => {
    if (plugins.length > 1) {
      const rest = plugins.slice(1).map(({ folder }) => folder)
      return warning('the plugin is loaded twice, so hooks are sent twice', `remove ${rest.join(', ')}`)
    }
    if (plugins.length === 1 && settingsWithHooks.length > 0) {
      const files = settingsWithHooks.join(', ')
      return warning(
        `${files} contains hooks to Aspy in addition to the plugin, so hooks are sent twice`,
        `remove them from ${files}`,
      )
    }
    return ok(plugins.length + settingsWithHooks.length === 0 ? 'none' : 'once')
  },

  settings: ({ unreadableSettings }) =>
    unreadableSettings.length === 0
      ? ok('readable')
      : failure(
          `${unreadableSettings.join(', ')} is not valid JSON, so Claude Code ignores all of it`,
          'correct the file in an editor',
        ),

  cloud: ({ cloud, upstream }) =>
    cloud === null
      ? ok(`none; requests go to ${isFirstParty(upstream) ? 'the API' : upstream}`)
      : warning(`Claude Code talks to ${cloud} and bypasses Aspy`, CLOUD_ADVICE),

  thinking: ({ showsThinking }) =>
    showsThinking
      ? ok('Claude Code asks for thinking summaries')
      : note(
          'Claude Code does not ask for thinking summaries, and without them the API sends no text of what the model thought, so most sessions have no thinking to recall',
          'nothing, unless you want to search it: then aspy setup --thinking, or for one run aspy run --thinking -- claude',
        ),

  'disk space': ({ freeBytes }) => {
    if (freeBytes === null) return note('unknown', null)
    const said = `${byteSize(freeBytes)} free`
    if (freeBytes < 0.1 * GB) return failure(said, 'free disk space, or recording stops when the disk is full')
    return freeBytes < GB ? warning(said, 'free disk space, or delete sessions with aspy delete ID') : ok(said)
  },

  database: ({ database }) => {
    if (database === null) return note('nothing is recorded yet', null)
    const size = byteSize(database.bytes)
    if (database.isLogGone)
      return failure(
        `Aspy ended without closing ${database.path}, and its -wal was removed since: what was recorded last may be lost`,
        'start the app with aspy, which says since when events are missing; then fill the gap with aspy import ~/.claude/projects',
      )
    if (database.fault === null)
      return ok(`${size}, ${database.isWhole ? 'all pages checked' : 'opens and reads; too large to check every page'}`)
    if (database.isRefused)
      return failure(
        database.fault,
        'until then Aspy leaves it as it is: what it records waits in spool.jsonl and is stored once the file can be used',
      )
    return failure(
      `${database.path}: ${database.fault}`,
      database.isText
        ? 'run aspy rebuild: it builds the search index from the log again'
        : 'start aspy, or let it run: within a minute it checks the file, moves it aside and copies what can be read to a new one',
    )
  },

  client: ({ client }) => {
    if (client === null)
      return note('Claude Code is not on your PATH', 'to install it, run npm install -g @anthropic-ai/claude-code')
    const { path, version } = client
    if (version === null) return warning(`${path} does not report its version`, `try ${path} --version`)
    return compareVersions(version, KNOWN_CLIENT) > 0
      ? note(`Claude Code ${version} is newer than ${KNOWN_CLIENT}, the newest version tested with Aspy`, null)
      : ok(`Claude Code ${version}`)
  },
}

/** Runs every check, in the order in which problems should be fixed. */
export const examine = (facts: DoctorFacts): Finding[] =>
  Object.entries(CHECKS).map(([check, judge]) => ({ check, ...judge(facts) }))

const sameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && new URL(one).origin === new URL(other).origin

/** Compares versions number by number. Negative if the first is older. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (let at = 0; at < 3; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
