import { spawn } from 'node:child_process'
import { AspyError } from '../../../shared/contract/errors.ts'
import { readKey } from '../../base/data-folder.ts'
import { findApp } from '../wake-app.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { sayAside } from '../wrap.ts'

/** Returns the address that signs a browser in to the running app. */
export async function signInLink({ dataDir }: RunSettings): Promise<string> {
  const app = await findApp(dataDir)
  const key = app === null ? null : readKey(dataDir, 'token')
  if (app === null || key === null)
    throw new AspyError('store_unavailable', `no app is running on ${dataDir}; start it with aspy`)
  return `${app.appUrl}/#key=${key}`
}

/** `aspy open`: opens the dashboard in a browser, and prints the link in case there is no browser. */
export async function open(settings: RunSettings, { open: withBrowser }: { readonly open: boolean }): Promise<void> {
  const link = await signInLink(settings)
  console.log(link)
  if (withBrowser) openInBrowser(link)
}

function openInBrowser(link: string): void {
  const [command, ...args]: readonly [string, ...string[]] =
    process.platform === 'darwin'
      ? ['open', link]
      : process.platform === 'win32'
        ? ['explorer.exe', link]
        : ['xdg-open', link]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.once('error', () => sayAside(`Could not open a browser. Open the link above in one.`))
  child.unref()
}
