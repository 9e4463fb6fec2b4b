import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `isSo` returns true. For hooks, where `expect.poll` is not allowed. Throws after `timeoutMs`. */
export async function until(what: string, isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting until ${what}`)
    await pause(50)
  }
}
