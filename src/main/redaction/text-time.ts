import type { TextTime } from './scan-in-time.ts'

export interface TextTimeOptions {
  /** Limit for one text, in ms of processor time, so that other load on the machine does not count. */
  readonly textMs: number
  /** Clock in milliseconds with any origin. */
  readonly now?: () => number
}

/** Limits the time for each text and counts timeouts. */
export function createTextTime({ textMs, now = threadMs }: TextTimeOptions): TextTime & { count(): number } {
  let leftOut = 0
  return {
    begin() {
      let end: number | null = null
      return () => now() > (end ??= now() + textMs)
    },
    leaveOut(characters) {
      leftOut += 1
      return `[left out: ${characters} characters, not checked for secrets in time]`
    },
    count: () => leftOut,
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
