import { isOwnPage } from './trusted-sender.ts'

/** The one thing a page may do besides showing itself: its copy buttons write text to the clipboard. */
const RIGHTS = new Set(['clipboard-sanitized-write'])

/** Whether a page may have what it asks for. Everything that Electron knows comes by here; all but one is refused. */
export function hasRight(permission: string, page: string): boolean {
  return RIGHTS.has(permission) && isOwnPage(page)
}

/** Whether something may be loaded: our own files, and what the page made itself. Nothing comes from a network. */
export function mayLoad(address: string, isPackaged: boolean): boolean {
  if (isOwnPage(address) || address.startsWith('data:') || address.startsWith('blob:app://')) return true
  // Whoever builds the app may look into its page.
  return !isPackaged && address.startsWith('devtools://')
}
