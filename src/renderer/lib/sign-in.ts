import { tradeKey } from './http-client.ts'

/** The key of a printed link (`…/#key=…`), or null. */
export function keyOfHash(hash: string): string | null {
  const key = new URLSearchParams(hash.replace(/^#/, '')).get('key')
  return key === '' ? null : key
}

/**
 * Trades the key in the address for a cookie and takes it out of the address, so that it stays in no history and no
 * screenshot. Does nothing where there is no key.
 */
export async function signInFromAddress(): Promise<void> {
  const key = keyOfHash(location.hash)
  if (key === null) return
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    await tradeKey(key)
  } catch {
    // The server is gone: the first call meets the same, and its error says what to do.
  }
}
