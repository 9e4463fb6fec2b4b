import { startDesktop } from './electron/start.ts'

// Not awaited: Electron is ready only once this module has been evaluated, and would wait for itself.
startDesktop()
