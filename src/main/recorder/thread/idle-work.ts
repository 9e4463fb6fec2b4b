import { trimCHeap } from '../../base/c-heap.ts'
import { createSpareMemory } from '../../base/spare-memory.ts'
import type { Capture } from './capture/capture.ts'
import type { Writer } from './write/writer.ts'
import type { Upkeep } from './upkeep/upkeep.ts'

/** Time without traffic before the WAL is moved into the file. */
const IDLE_MS = 5000
/** Interval from then on, while nothing arrives. */
const QUIET_MS = 60_000

export interface IdleWorkOptions {
  readonly writer: Pick<Writer, 'tidyUp' | 'checkpoint'>
  readonly upkeep: Pick<Upkeep, 'idle' | 'isBusy'>
  readonly capture: Pick<Capture, 'releaseMemory'>
}

/** Work for idle moments: tidies up and returns memory to the system. */
export interface IdleWork {
  /** Starts the wait for an idle moment again: something arrived. */
  postpone(): void
  stop(): void
}

export function createIdleWork({ writer, upkeep, capture }: IdleWorkOptions): IdleWork {
  const spareMemory = createSpareMemory()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  let lastTrafficAt = performance.now()

  function schedule(isQuiet: boolean, ms: number): void {
    if (timer !== null) clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => tidyUp(isQuiet), ms)
  }

  /** Repeats while nothing arrives, because a session also ends by silence. */
  function tidyUp(isQuiet: boolean): void {
    writer.tidyUp()
    void upkeep.idle(performance.now() - lastTrafficAt).then(() => giveBack(isQuiet))
    schedule(true, QUIET_MS)
  }

  /** Runs after upkeep, so that its memory is returned too. */
  function giveBack(isQuiet: boolean): void {
    if (isStopped || upkeep.isBusy()) return
    writer.checkpoint()
    const hasReleased = isQuiet && capture.releaseMemory()
    // The main thread trims when it becomes idle, which is before this thread's caches are dropped.
    if (spareMemory.giveBack(hasReleased)) trimCHeap()
  }

  return {
    postpone() {
      lastTrafficAt = performance.now()
      schedule(false, IDLE_MS)
    },
    stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
