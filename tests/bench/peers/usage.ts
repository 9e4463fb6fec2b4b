/** What a peer has used so far. */
export interface PeerUsage {
  /** Microseconds of processor time: of the thread that forwards (NaN where it cannot be told), and of the whole process. */
  readonly threadCpuUs: number
  readonly processCpuUs: number
  /** The tap's counters, of a peer that has one. */
  readonly capture: unknown
}

/** Answers the bench's questions; `capture` gives the tap's counters. The peer ends with the bench. */
export function reportUsage(capture: () => unknown = () => null): void {
  process.on('message', () => {
    const thread = process.threadCpuUsage()
    const whole = process.cpuUsage()
    const usage: PeerUsage = {
      threadCpuUs: thread.user + thread.system,
      processCpuUs: whole.user + whole.system,
      capture: capture(),
    }
    process.send?.(usage)
  })
  process.on('disconnect', () => process.exit())
}
