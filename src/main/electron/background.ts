import { app } from 'electron'
import { leaveWhenIdle } from '../leave-when-idle.ts'
import { createOrderlyQuit } from './orderly-quit.ts'
import { KEEP_MINUTES } from './quit-question.ts'

/** Time limit in ms for the whole shutdown. The parts of the app have shorter limits. */
const END_MS = 30_000

/** `--background`: serves clients that are still running, without window and tray, and exits when it has been idle. */
export async function serveInBackground(dataDir: string, windowDir: string): Promise<void> {
  app.dock?.hide()
  const { openOwnApp } = await import('./own-app.ts')
  const own = await openOwnApp({ dataDir, windowDir, version: app.getVersion() })
  const ended = new AbortController()
  const quit = createOrderlyQuit({
    mayQuit: async () => true,
    end: async () => {
      ended.abort()
      await own.stop()
    },
    leave: () => app.quit(),
    deadlineMs: END_MS,
    onLate: () => undefined,
    onFault: () => undefined,
  })
  app.on('before-quit', (event) => {
    if (quit.holdsBack('system')) event.preventDefault()
  })
  await leaveWhenIdle(own.app, KEEP_MINUTES * 60_000, ended.signal)
  quit.request('system')
}
