import type { Logger } from 'pino'
import { demoFile, readDemo } from './demo-file.ts'
import { DemoPlayer, type DemoRecorder } from './demo-player.ts'

export interface RunningDemo {
  /** Resolves when the history is stored. */
  readonly written: Promise<void>
  stop(): void
}

/** Fills the store with the demo's history, which ends now, and then plays its live part until it is stopped. */
export function startDemo(to: DemoRecorder, logger: Pick<Logger, 'error'>): RunningDemo {
  const ending = new AbortController()
  const { signal } = ending

  async function write(): Promise<void> {
    const player = new DemoPlayer(await readDemo(demoFile()), to, signal)
    await player.write(Date.now())
    player.live().catch((error: unknown) => {
      if (!signal.aborted) logger.error({ err: error }, 'demo failed')
    })
  }
  return { written: write(), stop: () => ending.abort() }
}
