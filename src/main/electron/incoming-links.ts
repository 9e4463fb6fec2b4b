import { app } from 'electron'
import { linkIn, parseAppLink, type AppLink } from './app-links.ts'

/** Links, and second starts without one (null), from the very beginning on. */
export interface IncomingLinks {
  /** From now on `open` gets them; what it should open first: what came before, or the app was started with. */
  take(open: (link: AppLink | null) => void): AppLink | null
}

/** Listens at once: macOS hands a link over before it is ready. */
export function listenForLinks(): IncomingLinks {
  let first = linkIn(process.argv)
  let open = (link: AppLink | null): void => void (first = link ?? first)
  app.on('second-instance', (_event, argv) => open(linkIn(argv)))
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const link = parseAppLink(url)
    if (link !== null) open(link)
  })
  return {
    take(taker) {
      open = taker
      return first
    },
  }
}
