import type { Logger } from 'pino'

/** A stack of stop functions: the last one added runs first. */
export type StopStack = ReturnType<typeof createStopStack>

export function createStopStack(logger: Pick<Logger, 'error'>) {
  const ends: (() => unknown)[] = []
  return {
    push: (end: () => unknown) => void ends.push(end),
    /** Stops everything, last first. A failure is logged and does not prevent the others. */
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
