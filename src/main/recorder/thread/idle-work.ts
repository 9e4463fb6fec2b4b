import type { SessionLog } from '../../sinks/recorder/session-log.ts'
import { createSpareMemory } from '../../base/spare-memory.ts'
import type { StoreGate } from './write/store-gate.ts'
import type { Upkeep } from './upkeep/upkeep.ts'

/** After so long without traffic the WAL is moved into the file. */
const IDLE_MS = 5000
/** And from then on, as long as nothing comes. */
const QUIET_MS = 60_000

export interface IdleWorkOptions {
  readonly gate: Pick<StoreGate, 'checkpoint'>
  readonly sessionLog: Pick<SessionLog, 'tidyUp'> | null
  readonly upkeep: Pick<Upkeep, 'idle' | 'isBusy'>
  /** It has been quiet for long: let go of what only saves time. Whether there was any. */
  rest(): boolean
}

/** What is done once nothing comes any more: tidying up, and giving memory back. */
export interface IdleWork {
  /** Something came: not before it has been still for a while again. */
  postpone(): void
  stop(): void
}

export function createIdleWork({ gate, sessionLog, upkeep, rest }: IdleWorkOptions): IdleWork {
  const spareMemory = createSpareMemory()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  function again(isQuiet: boolean, ms: number): void {
    if (timer !== null) clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => tidyUp(isQuiet), ms)
  }

  /** Goes on while nothing comes: a session ends by its silence, too. */
  function tidyUp(isQuiet: boolean): void {
    gate.checkpoint()
    sessionLog?.tidyUp()
    void upkeep.idle(isQuiet).then(() => giveBack(isQuiet))
    again(true, QUIET_MS)
  }

  /** What upkeep took in passing, too. */
  function giveBack(isQuiet: boolean): void {
    if (isStopped || upkeep.isBusy()) return
    gate.checkpoint()
    const hasLetGo = isQuiet && rest()
    spareMemory.giveBack(hasLetGo)
  }

  return {
    postpone: () => again(false, IDLE_MS),
    stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
