import { counted } from '../../../shared/counted.ts'
import { lasted } from '../../../shared/lasted.ts'
import { upstreamWords } from '../../../shared/upstream-words.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Health } from '../../../shared/contract/health.ts'
import { packageVersion } from '../../base/app-files.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { withTypedHere } from '../../base/folder-of-run.ts'
import { askKeeper, logOf, mayEnter, silenceOf, waitedFor, type KeeperStatus } from '../../keeper/control.ts'
import { overHttp } from '../client.ts'
import { print } from '../print-all.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { when } from '../when.ts'
import { budgetText, capsText, howToSet } from '../guard-caps.ts'
import { findApp } from '../wake-app.ts'

/** Exit code of `aspy status` if Aspy does not run: as in scripts of init systems. */
const NOT_RUNNING = 3

/** `aspy status`: says whether Aspy runs, where, and what passed unrecorded. */
export async function status({ dataDir }: Pick<RunSettings, 'dataDir'>, { json }: JsonFlag): Promise<void> {
  if (!mayEnter(dataDir))
    throw new AspyError('store_unavailable', `${dataDir} is not a folder that you may enter; choose yours with --data`)
  const [keeper, app] = await Promise.all([askKeeper(dataDir, 'status'), findApp(dataDir)])
  const client = app === null ? null : overHttp(app, dataDir)
  const [health = null, guard = null, budgets] = await Promise.all([
    client?.call('health.get', {}),
    client?.call('guard.get', {}),
    client?.call('budgets.status', {}),
  ])
  const silence = keeper === null && app === null ? await silenceOf(dataDir) : null
  const found = { ...statusOf(keeper, app, health, dataDir, silence), guard, budgets: budgets?.items ?? null }
  print({ json: found, text: textOf(found) }, json)
  if (!found.running) process.exitCode = NOT_RUNNING
}

type Guard = OperationOutput<'guard.get'>
type Budgets = OperationOutput<'budgets.status'>['items']

type Status = ReturnType<typeof statusOf>

function statusOf(
  keeper: KeeperStatus | null,
  app: RunningApp | null,
  health: Health | null,
  dataDir: string,
  silence: string | null,
) {
  const { proxy, app: appPort, tunnel } = app?.ports ?? {}
  return {
    running: health !== null,
    state: keeper?.state ?? (health === null ? 'stopped' : 'running'),
    since: health?.started_at ?? keeper?.since ?? null,
    version: health?.version ?? packageVersion(),
    pid: app?.pid ?? keeper?.appPid ?? null,
    keeper_pid: keeper === null || keeper.pid === keeper.appPid ? null : keeper.pid,
    ports: keeper?.ports ?? Object.fromEntries(Object.entries({ proxy, app: appPort, tunnel }).filter(hasPort)),
    /** Why nothing is recorded until a person does something; null if it is. */
    trouble: silence ?? troubleOf(keeper, health, dataDir),
    upstream: health?.upstream ?? null,
    gateways: health?.gateways ?? null,
    upstreams: health?.upstreams ?? null,
    clients: health === null ? null : { requests: health.in_flight, tunnels: health.tunnels.open },
    /** How many requests and tunnels an app waits for that ends. */
    waits: keeper?.waits ?? 0,
    unrecorded: keeper?.passed ?? null,
    /** Whether transcripts have filled all that passed unrecorded. */
    imported: isImported(keeper?.passed.to ?? null, health),
    data: dataDir,
  }
}

/** Returns whether the app, which knows what passed before it began, misses nothing of it any more. */
const isImported = (to: number | null, health: Health | null): boolean =>
  to !== null &&
  health !== null &&
  Date.parse(health.started_at) > to &&
  health.warnings.every(({ code }) => code !== 'unrecorded')

/** Warnings of an app that records. */
const OF_KEEPER: ReadonlySet<string> = new Set(['keeper_lost', 'not_replaced'])

function troubleOf(keeper: KeeperStatus | null, health: Health | null, dataDir: string): string | null {
  if (keeper?.trouble === 'no_store') return `${dataDir} cannot be written: nothing is recorded until it can`
  if (health !== null)
    return health.warnings.find(({ code }) => health.status !== 'ok' || OF_KEEPER.has(code))?.message ?? null
  if (keeper?.state === 'running')
    return `the app (pid ${keeper.appPid}) does not answer: if that lasts, its keeper ends it and starts another`
  if (!keeper?.quickEnds) return null
  return `the app ended soon after its last ${keeper.quickEnds} starts; see ${logOf(keeper, dataDir)}`
}

const hasPort = (entry: readonly [string, number | null | undefined]): entry is [string, number] =>
  typeof entry[1] === 'number'

function textOf({
  running,
  state,
  since,
  version,
  pid,
  keeper_pid,
  ports,
  trouble,
  upstream,
  gateways,
  clients,
  waits,
  unrecorded,
  imported,
  data,
  guard,
  budgets,
}: Status & { readonly guard: Guard | null; readonly budgets: Budgets | null }): string {
  const isPassing = keeper_pid !== null && !running
  const said = isPassing
    ? `${state === 'running' ? 'not answering' : state}; clients go on, unrecorded`
    : running
      ? 'running'
      : 'not running'
  const rows: readonly (readonly [string, string | null])[] = [
    ['Aspy', `${said}${since === null ? '' : ` since ${when(since)}`}`],
    ['Version', versionText(version, packageVersion())],
    [
      'Process',
      [pid, keeper_pid === null ? null : `keeper ${keeper_pid}`].filter((one) => one !== null).join(', ') || null,
    ],
    [
      'Ports',
      Object.entries(ports)
        .map(([name, port]) => `${name} ${port}`)
        .join(', ') || null,
    ],
    ['Trouble', trouble],
    ['Upstream', upstream === null ? null : upstreamWords({ upstream, gateways: gateways ?? [] })],
    [
      'Clients',
      clients === null ? null : `${counted(clients.requests, 'request')}, ${counted(clients.tunnels, 'tunnel')} open`,
    ],
    ...guardRows(guard, budgets ?? [], data),
    ['Budgets', budgets?.map(budgetText).join('; ') || null],
    ['Waits for', waits === 0 ? null : waitedFor(waits)],
    ['Unrecorded', unrecorded === null ? null : unrecordedText(unrecorded, imported)],
    ['Data', data],
  ]
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(13)} ${value}`])).join('\n')
}

/** The caps in force, and what became of requests; without a cap, how to set one. */
function guardRows(
  guard: Guard | null,
  budgets: Budgets,
  dataDir: string,
): readonly (readonly [string, string | null])[] {
  if (guard === null) return []
  const caps = capsText(guard)
  if (caps === '') return [['Caps', `none; set one ${howToSet(budgets, dataDir)}`]]
  return [
    ['Caps', `${guard.action}: ${caps}`],
    ['Held now', String(guard.held.length)],
    ['Refused', guard.refused_today == null ? null : `${guard.refused_today} today`],
  ]
}

/** Returns the version that runs, and what this command has if an update is not in its place yet. */
export const versionText = (running: string, own: string): string =>
  running === own
    ? running
    : `${running}; this command has ${own}. After an update, ${withTypedHere('aspy restart')} takes it over, and cuts nothing`

function unrecordedText({ requests, tunnels, hooks = 0, from, to }: KeeperStatus['passed'], isFilled: boolean) {
  if (from === null || to === null) return null
  const count = Object.values(requests).reduce((sum, each) => sum + each, 0)
  const said = `${counted(count, 'request')}, ${counted(tunnels, 'tunnel')}${hooks === 0 ? '' : `, ${counted(hooks, 'hook')}`}`
  const [first, last] = [from, to].map((at) => when(new Date(at).toISOString()))
  return `${said} within ${lasted(to - from)}, ${first === last ? first : `${first} to ${last}`}${isFilled ? '; imported since' : ''}`
}
