import { openDesktop } from '../desktop.ts'
import { serveHere, welcome } from '../serving.ts'
import { requireOwnPorts } from '../ports-of-run.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { findOrWakeApp, refuseMoved } from '../wake-app.ts'
import { signInLink } from './open.ts'

/** `aspy`: starts the app or finds the running one, prints its link, then opens the desktop window if possible. */
export async function start(settings: RunSettings, { open: withWindow }: { readonly open: boolean }): Promise<void> {
  const say = (line: string) => console.log(line)
  await refuseMoved(settings.dataDir)
  const running = await findOrWakeApp(settings.dataDir)
  if (running !== null) {
    say(`Aspy is running (pid ${running.pid}).\nDashboard     ${await signInLink(settings)}`)
    if (withWindow) openDesktop(settings.dataDir, say)
    return
  }
  const { started, ended } = await serveHere(await requireOwnPorts(settings))
  say(welcome(started))
  const close = withWindow ? openDesktop(settings.dataDir, say) : () => undefined
  await ended
  close()
}
