import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `isSo` holds; for hooks, where `expect.poll` may not stand. Throws after `timeoutMs`. */
export async function until(what: string, isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`)
    await pause(50)
  }
}
