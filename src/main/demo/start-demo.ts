import { mkdirSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Json } from '../../shared/event.ts'
import { demoFile, readDemo } from './demo-file.ts'
import { DemoPlayer, type DemoRecorder } from './demo-player.ts'

export interface RunningDemo {
  /** Resolves when the history is stored. */
  readonly written: Promise<void>
  stop(): void
}

/**
 * Makes the folders of the demo's projects below `home`, so that a file can be restored there; fills the store with the
 * demo's history, which ends now, and then plays its live part until it is stopped, or until `end`.
 */
export function startDemo(
  to: DemoRecorder,
  home: string,
  logger: Pick<Logger, 'error'>,
  end?: AbortSignal,
): RunningDemo {
  const ending = new AbortController()
  const signal = AbortSignal.any([ending.signal, ...(end === undefined ? [] : [end])])

  async function write(): Promise<void> {
    const demo = await readDemo(demoFile(), home)
    for (const step of demo.history) if (step.kind === 'hook') makeFolder(step.body['cwd'], home)
    const player = new DemoPlayer(demo, to, signal)
    await player.write(Date.now())
    player.live().catch((error: unknown) => {
      if (!signal.aborted) logger.error({ err: error }, 'demo failed')
    })
  }
  return { written: write(), stop: () => ending.abort() }
}

function makeFolder(folder: Json | undefined, home: string): void {
  if (typeof folder === 'string' && folder.startsWith(home.replaceAll('\\', '/')))
    mkdirSync(folder, { recursive: true })
}
