import { WINDOW_ORIGIN } from '../../shared/bridge.ts'

/** What of an IPC event's frame decides whether it is ours. */
export interface SenderFrame {
  readonly url: string
  readonly parent: unknown
}

/**
 * Whether an IPC message comes from our own page in a window's main frame. Protocol and host are compared one by one:
 * the `origin` of an `app://` address is the string "null", as it is for `data:`.
 */
export function isTrustedSender(frame: SenderFrame | null): boolean {
  return frame !== null && frame.parent === null && isOwnPage(frame.url)
}

/** Whether an address is one of our own window's. */
export function isOwnPage(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${WINDOW_ORIGIN.scheme}:` && host === WINDOW_ORIGIN.host && username === '' && password === ''
}
