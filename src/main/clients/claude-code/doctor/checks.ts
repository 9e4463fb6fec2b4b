import { CLOUD_ADVICE } from '../client-environment.ts'
import { KNOWN_CLIENT, type DoctorFacts } from './facts.ts'

/** What one check says. */
export interface Finding {
  readonly check: string
  /** note: not wrong, but worth knowing. */
  readonly verdict: 'ok' | 'note' | 'warning' | 'failure'
  readonly said: string
  /** What to do about it; null: nothing. */
  readonly mend: string | null
}

type Said = Omit<Finding, 'check'>
type Check = (facts: DoctorFacts) => Said

const ok = (said: string): Said => ({ verdict: 'ok', said, mend: null })
const note = (said: string, mend: string | null): Said => ({ verdict: 'note', said, mend })
const warning = (said: string, mend: string): Said => ({ verdict: 'warning', said, mend })
const failure = (said: string, mend: string): Said => ({ verdict: 'failure', said, mend })

const GB = 1024 ** 3

const CHECKS: { readonly [check: string]: Check } = {
  node: ({ nodeVersion }) =>
    Number(/^v?(\d+)/.exec(nodeVersion)?.[1]) >= 24
      ? ok(`Node ${nodeVersion}`)
      : failure(`Node ${nodeVersion} is too old`, 'install Node 24 or newer, or run: npm rebuild node'),

  'data folder': ({ dataDir, modes }) => {
    const open = modes.filter(({ mode, wanted }) => (mode & ~wanted) !== 0)
    if (open.length === 0) return ok(dataDir)
    const commands = open.map(({ path, wanted }) => `chmod ${wanted.toString(8)} '${path}'`)
    return failure(`others on this machine can read ${open.map(({ path }) => path).join(', ')}`, commands.join('; '))
  },

  app: ({ app }) => {
    if (app === null) return note('no app runs on this data', 'aspy run -- claude starts one; or: aspy serve')
    const [first, ...more] = app.warnings
    if (first === undefined) return ok(`runs (pid ${app.pid}): ${app.appUrl}, proxy ${app.proxyUrl ?? 'off'}`)
    const others = more.length === 0 ? '' : ` (and ${more.length} more: see Health in the window)`
    return warning(`runs, and warns: ${first.message}${others}`, first.fix)
  },

  ports: ({ takenPorts }) => {
    const [first] = takenPorts
    if (first === undefined) return ok('free, or ours')
    const what = takenPorts.map(({ port, setting }) => `${port} ([${setting}] port)`).join(' and ')
    return failure(`somebody else has port ${what}`, `choose another with ${first.flag} N, or in config.toml`)
  },

  'base URL': ({ baseUrl, proxyUrl }) => {
    if (baseUrl === null) return ok('not set: aspy run sends a client through Aspy')
    const { url, from, isServed } = baseUrl
    const isOurs = sameOrigin(url, proxyUrl)
    if (isServed === false) {
      const end = from === 'the environment' ? 'unset ANTHROPIC_BASE_URL' : `take ANTHROPIC_BASE_URL out of ${from}`
      return failure(
        `${from} sends Claude Code to ${url}, where nobody serves: it hangs for minutes`,
        isOurs ? `start it: aspy serve; or: aspy setup --undo; or ${end}` : `start what served it, or ${end}`,
      )
    }
    return isOurs
      ? ok(`every client goes through Aspy (${from})`)
      : note(`${from} sends Claude Code to ${url}, past Aspy`, 'aspy run -- claude records it, and keeps that upstream')
  },

  'network proxy': ({ networkProxy }) => {
    if (networkProxy === null) return ok('none')
    return networkProxy.sparesLoopback
      ? ok(`${networkProxy.variable}, not for loopback`)
      : warning(
          `${networkProxy.variable} is set and NO_PROXY does not name 127.0.0.1: a client with our base URL would ask that proxy for it`,
          'export NO_PROXY="$NO_PROXY,127.0.0.1" (aspy run and setup --base-url do it by themselves)',
        )
  },

  plugin: ({ plugins }) => {
    if (plugins.length === 0) return note('not installed: Claude cannot recall by itself', 'aspy setup')
    const outdated = plugins.filter(({ isCurrent }) => isCurrent === false)
    return outdated.length === 0
      ? ok(plugins.map(({ folder }) => folder).join(', '))
      : failure(
          `out of date in ${outdated.map(({ folder }) => folder).join(', ')}: its port, key or place of aspy is another now`,
          'aspy setup',
        )
  },

  hooks: ({ plugins, settingsWithHooks }) => {
    if (plugins.length > 1) {
      const rest = plugins.slice(1).map(({ folder }) => folder)
      return warning('the plugin is loaded twice: everything is told twice', `remove ${rest.join(', ')}`)
    }
    if (plugins.length === 1 && settingsWithHooks.length > 0) {
      const files = settingsWithHooks.join(', ')
      return warning(
        `beside the plugin, ${files} has hooks to Aspy: everything is told twice`,
        `take them out of ${files}`,
      )
    }
    return ok(plugins.length + settingsWithHooks.length === 0 ? 'none' : 'once')
  },

  settings: ({ unreadableSettings }) =>
    unreadableSettings.length === 0
      ? ok('readable')
      : failure(`${unreadableSettings.join(', ')} is not JSON: Claude Code ignores it whole`, 'mend it by hand'),

  cloud: ({ cloud }) =>
    cloud === null
      ? ok('none: requests go to the API')
      : warning(`Claude Code speaks to ${cloud}: its requests do not pass Aspy`, CLOUD_ADVICE),

  thinking: ({ showsThinking }) =>
    showsThinking
      ? ok('Claude Code asks for summaries of its thinking')
      : note(
          'Claude Code asks for no summaries of its thinking: most sessions will have none to recall',
          'aspy setup --thinking, or aspy run --thinking -- claude',
        ),

  'disk space': ({ freeBytes }) => {
    if (freeBytes === null) return note('unknown', null)
    const said = `${(freeBytes / GB).toFixed(1)} GB free`
    if (freeBytes < 0.1 * GB) return failure(said, 'make room: with none, nothing more is recorded')
    return freeBytes < GB ? warning(said, 'make room, or delete sessions (aspy delete ID)') : ok(said)
  },

  database: ({ database }) => {
    if (database === null) return note('nothing is recorded yet', null)
    const size = `${(database.bytes / 1024 ** 2).toFixed(1)} MB`
    return database.fault === null
      ? ok(`${size}, ${database.isWhole ? 'every page sound' : 'opens and reads; too big to look at every page'}`)
      : failure(`${database.path}: ${database.fault}`, 'start aspy: it sets a damaged file aside and fills a new one')
  },

  client: ({ client }) => {
    if (client === null) {
      return note('Claude Code is not on your PATH', 'npm install -g @anthropic-ai/claude-code, if you want it here')
    }
    const { path, version } = client
    if (version === null) return warning(`${path} does not say its version`, `try: ${path} --version`)
    return compareVersions(version, KNOWN_CLIENT) > 0
      ? note(`Claude Code ${version}, newer than ${KNOWN_CLIENT}, the last that Aspy was tried with`, null)
      : ok(`Claude Code ${version}`)
  },
}

/** Every check, in the order in which a person mends. */
export function examine(facts: DoctorFacts): Finding[] {
  return Object.entries(CHECKS).map(([check, judge]) => ({ check, ...judge(facts) }))
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin
}

/** By numbers, part by part: negative where the first is the older. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (let at = 0; at < 3; at += 1) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
