import { startDesktop } from './electron/start.ts'

await startDesktop()
