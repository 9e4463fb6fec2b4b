import { app } from 'electron'
import { linkIn, parseAppLink, type AppLink } from './app-links.ts'

/** Links from outside, and second starts without one (null). Collected from the moment the process starts. */
export type IncomingLinks = ReturnType<typeof listenForLinks>

/** Starts listening. Must be called early, because macOS delivers links before the app is ready. */
export function listenForLinks() {
  let first = linkIn(process.argv)
  let open = (link: AppLink | null): void => void (first = link ?? first)
  app.on('second-instance', (_event, argv) => open(linkIn(argv)))
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const link = parseAppLink(url)
    if (link !== null) open(link)
  })
  return {
    /**
     * Sends later links to `open`. Returns the link to open first: one that came earlier, or the one that the app was
     * started with.
     */
    take(taker: (link: AppLink | null) => void): AppLink | null {
      open = taker
      return first
    },
  }
}
