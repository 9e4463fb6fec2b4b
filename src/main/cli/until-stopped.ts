const STOPPED_BY_SIGINT = 130

/**
 * Runs work that SIGINT (Ctrl+C) and SIGTERM stop in order: they abort the signal, and later errors of the work are not
 * reported. Returns false if it was stopped. The exit code is then 130 after SIGINT and 0 after SIGTERM.
 */
export async function untilStopped(work: (stop: AbortSignal) => Promise<void>): Promise<boolean> {
  const stop = new AbortController()
  const onSigint = () => {
    process.exitCode = STOPPED_BY_SIGINT
    stop.abort()
  }
  const onSigterm = () => stop.abort()
  process.once('SIGINT', onSigint).once('SIGTERM', onSigterm)
  try {
    await work(stop.signal)
    return true
  } catch (error) {
    if (!stop.signal.aborted) throw error
    return false
  } finally {
    process.off('SIGINT', onSigint).off('SIGTERM', onSigterm)
  }
}
