/** A peer's usage so far. */
export interface PeerUsage {
  /** Processor time in microseconds, of the forwarding thread (NaN if unknown) and of the process. */
  readonly threadCpuUs: number
  readonly processCpuUs: number
  /** Counters of the tap, if the peer has one. */
  readonly capture: unknown
}

/** Reports usage to the bench; `capture` returns the tap's counters. The peer exits with the bench. */
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
