import { setTimeout as pause } from 'node:timers/promises'
import { counted } from '../../../shared/counted.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { errorCode } from '../../../shared/error-text.ts'
import { isProcessAlive } from '../../base/is-process-alive.ts'
import { readSetupRecord } from '../../clients/claude-code/setup/setup-record.ts'
import { askKeeper, logOf, waitedFor, type KeeperStatus } from '../../keeper/control.ts'
import { overHttp } from '../client.ts'
import { typedHere } from '../../base/folder-of-run.ts'
import { capsText } from '../guard-caps.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { AWAY, findApp, refuseMoved } from '../wake-app.ts'
import { when } from '../when.ts'
import { wrapped } from '../wrap.ts'

/** How often it looks whether what it ends has ended, in ms. */
const LOOK_MS = 100
/** How often it does so before it has a keeper cut what it passes on, and at most. */
const [ORDERLY_LOOKS, MOST_LOOKS] = [10, 100]

const say = (text: string): void => console.log(wrapped(text))

type Guard = OperationOutput<'guard.get'>

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
  if (held > 0) say(`Refusing ${counted(held, 'request')} that waited for a decision at a cap.`)
  if (keeper !== null) {
    if (keeper.state === 'stopped') return say(await stopKeeper(keeper, dataDir, isNow))
    const stopping = askKeeper(dataDir, isNow ? 'stop_now' : 'stop')
    if (!isNow) await sayWhatIsWaitedFor(dataDir, stopping)
    const after = await stopping
    if (after === null) return say('Aspy has ended.')
    // The app answers in place of a keeper that was killed, and nothing is left after it.
    if (keeper.pid === keeper.appPid) return say('Aspy has ended. Clients that still run must be started again.')
    if (after.state === 'running' || after.state === 'starting')
      throw new AspyError('conflict', 'another command has started Aspy again meanwhile')
    const once = `${typedHere('aspy stop --now', dataDir)}${isNow ? ' once more' : ''}`
    say(
      `Aspy has stopped. ${goesOnText(after)}, or by ${once}. Start it again with ${typedHere('aspy restart', dataDir)}.${awayText(guard)}`,
    )
    return
  }
  await refuseMoved(dataDir)
  const app = await findApp(dataDir)
  if (app === null) return say('Aspy is not running.')
  terminate(app.pid)
  while (isProcessAlive(app.pid)) await pause(LOOK_MS)
  say('Aspy has ended.')
}

/** Ends a keeper whose app has stopped, if that is asked for. Returns what to say. */
async function stopKeeper(keeper: KeeperStatus, dataDir: string, isNow: boolean): Promise<string> {
  const said = `Aspy has stopped already. ${goesOnText(keeper)}`
  if (!isNow) return `${said}, or by ${typedHere('aspy stop --now', dataDir)}.`
  if (readSetupRecord(dataDir).service)
    return `${said}. It belongs to the login service, which ${typedHere('aspy setup --undo', dataDir)} removes.`
  await endKeeper(keeper)
  return `Aspy and its keeper have ended. Clients that still run must be started again; if settings still name the base URL of Aspy, run ${typedHere('aspy setup --undo', dataDir)}.`
}

/** Ends a keeper, and cuts what it still passes on after a while. */
async function endKeeper({ pid }: KeeperStatus): Promise<void> {
  for (let looks = 0; isProcessAlive(pid); looks += 1) {
    // The second one cuts.
    if (looks === 0 || looks === ORDERLY_LOOKS) terminate(pid)
    if (looks === MOST_LOOKS) throw new AspyError('conflict', `the keeper (pid ${pid}) does not end`)
    await pause(LOOK_MS)
  }
}

/** Asks a process to end, unless it has by now. */
function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

const goesOnText = ({ pid, usedAt }: KeeperStatus): string =>
  `Its keeper (pid ${pid}) passes on, unrecorded, what clients that run send` +
  `${usedAt === null ? '; none has so far' : `, last ${when(usedAt)}`}. It ends once none has for a day`

/** `aspy restart`: a new app takes the place of the one that runs, which finishes its streams. */
export async function restart({ dataDir }: Pick<RunSettings, 'dataDir'>): Promise<void> {
  await refuseMoved(dataDir)
  const before = await askKeeper(dataDir, 'status')
  if (before === null) {
    const app = await findApp(dataDir)
    throw new AspyError(
      'conflict',
      app === null
        ? `Aspy is not running; start it with ${typedHere('aspy', dataDir)}`
        : `this Aspy was started by its window: restart it there, or with ${typedHere('aspy stop', dataDir)} and ${typedHere('aspy', dataDir)}`,
    )
  }
  const after = await askKeeper(dataDir, 'restart')
  if (after?.state === 'stopped' || after?.state === 'ending')
    throw new AspyError('conflict', 'another command has stopped Aspy meanwhile')
  // An app that was starting by then is a new one, too.
  if (after?.state !== 'running' || (before.state === 'running' && after.appPid === before.appPid))
    throw new AspyError('internal', `no new app has started; see ${logOf(before, dataDir)}. What ran before goes on`)
  say(`Aspy runs (pid ${after.appPid}).`)
  if (after.leavingPids.length > 0) say('The app before ends once its requests have ended.')
}

/** Returns the guard of an app that is about to stop; null if none answers. */
async function guardBefore(dataDir: string): Promise<Guard | null> {
  const app = await findApp(dataDir)
  return app === null || app.id === AWAY
    ? null
    : overHttp(app, dataDir)
        .call('guard.get', {})
        .catch(() => null)
}

/** Says what becomes of the caps while the app is down. */
function awayText(guard: Guard | null): string {
  if (guard === null || capsText(guard) === '') return ''
  const away = guard.when_away === 'refuse' ? 'requests are refused ([guard] when_away)' : 'no cap of [guard] holds'
  return ` Until then, ${away}.`
}

/** Says what an end waits for, once it does. Asks the keeper, since an app that is busy or hangs may not answer. */
async function sayWhatIsWaitedFor(dataDir: string, end: Promise<unknown>): Promise<void> {
  let isOver = false
  while (!isOver) {
    const waits = (await askKeeper(dataDir, 'status'))?.waits ?? 0
    if (waits > 0)
      return say(`Waiting for ${waitedFor(waits)}. To cut them, run ${typedHere('aspy stop --now', dataDir)}.`)
    isOver = await Promise.race([end.then(() => true), pause(LOOK_MS, false)])
  }
}
