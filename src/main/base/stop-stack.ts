import type { Logger } from 'pino'

/** What was started and has to end, each after all that was started later. */
export interface StopStack {
  push(end: () => unknown): void
  /** Ends everything, the last first; one that fails is logged and holds up none of the others. */
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
          logger.error({ err: error }, 'a part did not end as it should')
        }
      }
    },
  }
}
