import { exchangeKey } from './http-client.ts'

/** Returns the key of a printed link (`…/#key=…`), or null. */
export function keyOfHash(hash: string): string | null {
  const key = new URLSearchParams(hash.replace(/^#/, '')).get('key')
  return key === '' ? null : key
}

/**
 * Exchanges the key in the address for a cookie and removes it from the address, so that it appears in no history and no
 * screenshot. Does nothing if there is no key.
 */
export async function signInFromAddress(): Promise<void> {
  const key = keyOfHash(location.hash)
  if (key === null) return
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    await exchangeKey(key)
  } catch {
    // The server is unreachable. The first call fails the same way and reports it.
  }
}
