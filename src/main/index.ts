import { startDesktop } from './electron/start.ts'

// Not awaited: Electron becomes ready only after this module has been evaluated, so awaiting here would deadlock.
startDesktop()
