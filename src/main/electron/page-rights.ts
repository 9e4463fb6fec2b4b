import { isOwnPage } from './trusted-sender.ts'

/** The only permission of a page: its copy buttons write text to the clipboard. */
const RIGHTS = new Set(['clipboard-sanitized-write'])

/** Returns whether a page gets a permission. Electron asks for every permission here; all but one are refused. */
export const hasRight = (permission: string, page: string): boolean => RIGHTS.has(permission) && isOwnPage(page)

/** Returns whether an address may be loaded: our own files, and data that the page created. Nothing from a network. */
export function mayLoad(address: string, isPackaged: boolean): boolean {
  if (isOwnPage(address) || address.startsWith('data:') || address.startsWith('blob:app://')) return true
  // Developer tools work in a build that is not packaged.
  return !isPackaged && address.startsWith('devtools://')
}
