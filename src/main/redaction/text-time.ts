import type { TextTime } from './scan-in-time.ts'

export interface TextTimeOptions {
  /** What one text may take, in ms of processor time: what else the machine does takes nothing from it. */
  readonly textMs: number
  /** Milliseconds of any beginning. */
  readonly now?: () => number
}

/** Holds each text to its time and counts those that it ran out for. */
export function createTextTime({ textMs, now = threadMs }: TextTimeOptions): TextTime & { count(): number } {
  let leftOut = 0
  return {
    begin() {
      let end: number | null = null
      return () => now() > (end ??= now() + textMs)
    },
    leaveOut(characters) {
      leftOut += 1
      return `[left out: no time to look through these ${characters} characters]`
    },
    count: () => leftOut,
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
