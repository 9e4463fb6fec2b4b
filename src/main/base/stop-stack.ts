import type { Logger } from 'pino'

/** A stack of stop functions: the last one added runs first. */
export interface StopStack {
  push(end: () => unknown): void
  /** Stops everything, last first. A failure is logged and does not prevent the others. */
  unwind(): Promise<void>
}

export function createStopStack(logger: Pick<Logger, 'error'>): StopStack {
  const ends: (() => unknown)[] = []
  return {
    push: (end) => void ends.push(end),
    async unwind() {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end()
        } catch (error) {
          logger.error({ err: error }, 'a part failed to stop')
        }
      }
    },
  }
}
