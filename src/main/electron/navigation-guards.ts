import { shell, type WebContents } from 'electron'
import { isOwnPage } from './trusted-sender.ts'

/** Returns whether an address may be opened in the system's browser: web addresses only. */
export const mayOpenOutside = (address: string): boolean =>
  URL.canParse(address) && ['https:', 'http:'].includes(new URL(address).protocol)

/** Keeps a window on our own page: no navigation, no new windows, no embedding. Web links open in the browser. */
export function guardNavigation(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault()
  })
  contents.on('will-frame-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}
