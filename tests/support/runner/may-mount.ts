import { readFileSync } from 'node:fs'

/** Returns whether this process may mount: on Linux, with the capability for it (CAP_SYS_ADMIN, bit 21). */
export function mayMount(): boolean {
  if (process.platform !== 'linux') return false
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return held !== undefined && ((BigInt(`0x${held}`) >> 21n) & 1n) === 1n
}
