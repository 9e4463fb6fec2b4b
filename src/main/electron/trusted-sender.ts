import { WINDOW_ORIGIN } from '../../shared/bridge.ts'

/** The parts of an IPC event's frame that identify its sender. */
export interface SenderFrame {
  readonly url: string
  readonly parent: unknown
}

/**
 * Returns whether an IPC message comes from our own page in a window's main frame. Protocol and host are compared
 * separately, because the `origin` of an `app://` address is the string "null", as it is for `data:`.
 */
export const isTrustedSender = (frame: SenderFrame | null): boolean =>
  frame !== null && frame.parent === null && isOwnPage(frame.url)

/** Returns whether an address belongs to our own window. */
export function isOwnPage(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password } = new URL(address)
  return protocol === `${WINDOW_ORIGIN.scheme}:` && host === WINDOW_ORIGIN.host && username === '' && password === ''
}
