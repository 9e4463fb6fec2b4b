import { shell, type WebContents } from 'electron'
import { isOwnPage } from './trusted-sender.ts'

/** Addresses that may be handed to the system's browser: the web, nothing that starts a program. */
export function mayOpenOutside(address: string): boolean {
  return URL.canParse(address) && ['https:', 'http:'].includes(new URL(address).protocol)
}

/** Keeps a window on our own page: it goes nowhere else, opens nothing, embeds nothing; web links go to the browser. */
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
