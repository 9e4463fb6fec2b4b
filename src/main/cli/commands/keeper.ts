import { setTimeout as pause } from 'node:timers/promises'
import { counted } from '../../../shared/counted.ts'
import { lasted } from '../../../shared/lasted.ts'
import { upstreamWords } from '../../../shared/upstream-words.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Health } from '../../../shared/contract/health.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { packageVersion } from '../../base/app-files.ts'
import { readKey } from '../../base/data-folder.ts'
import { isProcessAlive } from '../../base/is-process-alive.ts'
import type { RunningApp } from '../../base/running-app.ts'
import { createRemoteDispatch } from '../../dispatch/remote-dispatch.ts'
import { readSetupRecord } from '../../clients/claude-code/setup/setup-record.ts'
import { askKeeper, waitedFor, type KeeperStatus } from '../../keeper/control.ts'
import type { JsonFlag } from '../flags.ts'
import { folderOption } from '../folder-of-run.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { when } from '../when.ts'
import { budgetText, capsText, howToSet } from '../guard-caps.ts'
import { AWAY, findApp } from '../wake-app.ts'
import { wrapped } from '../wrap.ts'

/** Exit code of `aspy status` if Aspy does not run: as in scripts of init systems. */
const NOT_RUNNING = 3
/** How often a command looks whether an app without a keeper, or a keeper, has ended, in ms. */
const LOOK_MS = 100
/** How often it does so before it has a keeper cut what it passes on. */
const ORDERLY_LOOKS = 10

/** `aspy status`: says whether Aspy runs, where, and what passed unrecorded. */
export async function status({ dataDir }: Pick<RunSettings, 'dataDir'>, { json }: JsonFlag): Promise<void> {
  const keeper = await askKeeper(dataDir, 'status')
  const app = await findApp(dataDir)
  const health = app === null ? null : await askApp(app, dataDir, 'health.get')
  const guard = app === null || health === null ? null : await askApp(app, dataDir, 'guard.get')
  const budgets = app === null || health === null ? null : (await askApp(app, dataDir, 'budgets.status')).items
  const found = { ...statusOf(keeper, app, health, dataDir), guard, budgets }
  console.log(json === true ? JSON.stringify(found) : wrapped(textOf(found)))
  if (!found.running) process.exitCode = NOT_RUNNING
}

/**
 * `aspy stop`: ends the app once its streams have ended, or now. Its keeper goes on for the clients that use it; `--now`,
 * once the app has stopped, ends that, too.
 */
export async function stop(
  { dataDir }: Pick<RunSettings, 'dataDir'>,
  { now: isNow = false }: { readonly now?: boolean },
): Promise<void> {
  const keeper = await askKeeper(dataDir, 'status')
  const guard = await guardBefore(dataDir)
  const held = guard?.held.length ?? 0
  if (held > 0) console.log(`Refusing ${counted(held, 'request')} that waited for a decision at a cap.`)
  if (keeper !== null) {
    if (keeper.state === 'stopped') return console.log(await stopKeeper(keeper, dataDir, isNow))
    const stopping = askKeeper(dataDir, isNow ? 'stop_now' : 'stop')
    if (!isNow) await sayWhatIsWaitedFor(dataDir, stopping)
    const after = await stopping
    if (after === null) return console.log('Aspy has ended.')
    const once = `aspy stop --now${folderOption(dataDir)}${isNow ? ' once more' : ''}`
    console.log(
      `Aspy has stopped. ${goesOnText(after)}, or by ${once}. Start it again with aspy restart${folderOption(dataDir)}.${awayText(guard)}`,
    )
    return
  }
  const app = await findApp(dataDir)
  if (app === null) return console.log('Aspy is not running.')
  process.kill(app.pid, 'SIGTERM')
  while (isProcessAlive(app.pid)) await pause(LOOK_MS)
  console.log('Aspy has ended.')
}

/** Ends a keeper whose app has stopped, if that is asked for. Returns what to say. */
async function stopKeeper(keeper: KeeperStatus, dataDir: string, isNow: boolean): Promise<string> {
  const said = `Aspy has stopped already. ${goesOnText(keeper)}`
  if (!isNow) return `${said}, or by aspy stop --now${folderOption(dataDir)}.`
  if (readSetupRecord(dataDir).service)
    return `${said}. It belongs to the login service, which aspy setup --undo removes.`
  process.kill(keeper.pid, 'SIGTERM')
  for (let looks = 1; isProcessAlive(keeper.pid); looks += 1) {
    await pause(LOOK_MS)
    // The second one cuts what it still passes on.
    if (looks === ORDERLY_LOOKS && isProcessAlive(keeper.pid)) process.kill(keeper.pid, 'SIGTERM')
  }
  return `Aspy and its keeper have ended. ${MUST_START_AGAIN}`
}

const MUST_START_AGAIN =
  'Clients that still run must be started again; if settings still name the base URL of Aspy, run aspy setup --undo.'

const goesOnText = ({ pid, usedAt }: KeeperStatus): string =>
  `Its keeper (pid ${pid}) passes on, unrecorded, what clients that run send` +
  `${usedAt === null ? '; none has so far' : `, last ${when(usedAt)}`}. It ends once none has for a day`

/** `aspy restart`: a new app takes the place of the one that runs, which finishes its streams. */
export async function restart({ dataDir }: Pick<RunSettings, 'dataDir'>): Promise<void> {
  if ((await askKeeper(dataDir, 'status')) === null) {
    const app = await findApp(dataDir)
    throw new AspyError(
      'conflict',
      app === null
        ? `Aspy is not running; start it with aspy${folderOption(dataDir)}`
        : `this Aspy was started by its window: restart it there, or with aspy stop${folderOption(dataDir)} and aspy${folderOption(dataDir)}`,
    )
  }
  const before = await askKeeper(dataDir, 'status')
  const after = await askKeeper(dataDir, 'restart')
  // An app that was starting by then is a new one, too.
  if (after?.state !== 'running' || (before?.state === 'running' && after.appPid === before.appPid)) {
    throw new AspyError('internal', `no new app has started; see ${dataDir}/serve.log. What ran before goes on`)
  }
  console.log(`Aspy runs (pid ${after.appPid}).`)
  if (after.leavingPids.length > 0) console.log('The app before ends once its requests have ended.')
}

/** Asks an app, without what describes every operation: loading that takes most of a command's time. */
async function askApp<Name extends 'health.get' | 'guard.get' | 'budgets.status'>(
  { appUrl }: RunningApp,
  dataDir: string,
  name: Name,
): Promise<OperationOutput<Name>> {
  const token = readKey(dataDir, 'token')
  if (token === null) throw new AspyError('unauthorized', `the running app's key is missing from ${dataDir}`)
  const answer = await createRemoteDispatch({ appUrl, token }).call(name, {}, { access: 'all' })
  return JSON.parse(new TextDecoder().decode(answer)) as OperationOutput<Name>
}

/** Returns the guard of an app that is about to stop; null if none answers. */
async function guardBefore(dataDir: string): Promise<Guard | null> {
  const app = await findApp(dataDir)
  return app === null || app.id === AWAY ? null : askApp(app, dataDir, 'guard.get').catch(() => null)
}

/** Says what becomes of the caps while the app is down. */
function awayText(guard: Guard | null): string {
  if (guard === null || capsText(guard) === '') return ''
  const away = guard.when_away === 'refuse' ? 'requests are refused ([guard] when_away)' : 'no cap of [guard] holds'
  return ` Until then, ${away}.`
}

type Guard = OperationOutput<'guard.get'>
type Budgets = OperationOutput<'budgets.status'>['items']

/** Says what an end waits for, once it does. Asks the keeper, since an app that is busy or hangs may not answer. */
async function sayWhatIsWaitedFor(dataDir: string, end: Promise<unknown>): Promise<void> {
  let isOver = false
  while (!isOver) {
    const waits = (await askKeeper(dataDir, 'status'))?.waits ?? 0
    if (waits > 0)
      return console.log(`Waiting for ${waitedFor(waits)}. To cut them, run aspy stop --now${folderOption(dataDir)}.`)
    isOver = await Promise.race([end.then(() => true), pause(LOOK_MS, false)])
  }
}

interface Status {
  readonly running: boolean
  readonly state: KeeperStatus['state']
  readonly since: string | null
  readonly version: string
  readonly pid: number | null
  readonly keeper_pid: number | null
  readonly ports: { readonly [name: string]: number }
  /** Why nothing is recorded until a person does something; null if it is. */
  readonly trouble: string | null
  readonly upstream: string | null
  readonly gateways: Health['gateways'] | null
  readonly upstreams: Health['upstreams'] | null
  /** How many requests and tunnels an app waits for that ends. */
  readonly waits: number
  readonly clients: { readonly requests: number; readonly tunnels: number } | null
  readonly unrecorded: KeeperStatus['passed'] | null
  /** Whether transcripts have filled all that passed unrecorded. */
  readonly imported: boolean
  readonly data: string
}

function statusOf(keeper: KeeperStatus | null, app: RunningApp | null, health: Health | null, dataDir: string): Status {
  const { proxy, app: appPort, tunnel } = app?.ports ?? {}
  return {
    running: health !== null,
    state: keeper?.state ?? (health === null ? 'stopped' : 'running'),
    since: health?.started_at ?? keeper?.since ?? null,
    version: health?.version ?? packageVersion(),
    pid: app?.pid ?? keeper?.appPid ?? null,
    keeper_pid: keeper?.pid ?? null,
    ports: keeper?.ports ?? Object.fromEntries(Object.entries({ proxy, app: appPort, tunnel }).filter(hasPort)),
    trouble: troubleOf(keeper, health, dataDir),
    upstream: health?.upstream ?? null,
    gateways: health?.gateways ?? null,
    upstreams: health?.upstreams ?? null,
    clients: health === null ? null : { requests: health.in_flight, tunnels: health.tunnels.open },
    waits: keeper?.waits ?? 0,
    unrecorded: keeper?.passed ?? null,
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

function troubleOf(keeper: KeeperStatus | null, health: Health | null, dataDir: string): string | null {
  if (keeper?.trouble === 'no_store') return `${dataDir} cannot be written: nothing is recorded until it can`
  if (health !== null) return health.status === 'ok' ? null : (health.warnings[0]?.message ?? null)
  if (keeper?.state === 'running')
    return `the app (pid ${keeper.appPid}) does not answer: if that lasts, its keeper ends it and starts another`
  if (!keeper?.quickEnds) return null
  return `the app ended soon after its last ${keeper.quickEnds} starts; see ${dataDir}/serve.log`
}

function hasPort(entry: readonly [string, number | null | undefined]): entry is [string, number] {
  return typeof entry[1] === 'number'
}

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
    ...guardRows(guard, budgets ?? []),
    ['Budgets', budgets?.map(budgetText).join('; ') || null],
    ['Waits for', waits === 0 ? null : waitedFor(waits)],
    ['Unrecorded', unrecorded === null ? null : unrecordedText(unrecorded, imported)],
    ['Data', data],
  ]
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(13)} ${value}`])).join('\n')
}

/** The caps in force, and what became of requests; without a cap, how to set one. */
function guardRows(guard: Guard | null, budgets: Budgets): readonly (readonly [string, string | null])[] {
  if (guard === null) return []
  const caps = capsText(guard)
  if (caps === '') return [['Caps', `none; set one ${howToSet(budgets)}`]]
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
    : `${running}; this command has ${own}. After an update, aspy restart takes it over, and cuts nothing`

function unrecordedText(
  { requests, tunnels, hooks = 0, from, to }: KeeperStatus['passed'],
  isFilled: boolean,
): string | null {
  if (from === null || to === null) return null
  const count = Object.values(requests).reduce((sum, each) => sum + each, 0)
  const said = `${counted(count, 'request')}, ${counted(tunnels, 'tunnel')}${hooks === 0 ? '' : `, ${counted(hooks, 'hook')}`}`
  const [first, last] = [from, to].map((at) => when(new Date(at).toISOString()))
  return `${said} within ${lasted(to - from)}, ${first === last ? first : `${first} to ${last}`}${isFilled ? '; imported since' : ''}`
}
