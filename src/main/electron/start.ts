import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, dialog, protocol } from 'electron'
import { WINDOW_ORIGIN } from '../../shared/bridge.ts'
import { defaultDataDir } from '../base/default-data-dir.ts'
import { listenForLinks } from './incoming-links.ts'
import { guardNavigation } from './navigation-guards.ts'
import { APP_ID, BACKGROUND_FLAG, SELF_CHECK_FLAG } from './names.ts'
import { errorMessage } from '../../shared/error-text.ts'

/**
 * Does what must happen before Electron is ready. Electron becomes ready only after this module has been evaluated, so
 * nothing here may wait for that, and everything else is loaded later.
 */
export function startDesktop(): void {
  app.enableSandbox()
  app.setAppUserModelId(APP_ID)
  protocol.registerSchemesAsPrivileged([
    { scheme: WINDOW_ORIGIN.scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents))
  const result = process.argv.find((argument) => argument.startsWith(SELF_CHECK_FLAG))?.slice(SELF_CHECK_FLAG.length)
  const isSelfCheck = result !== undefined && result !== ''
  const dataDir = isSelfCheck
    ? mkdtempSync(join(tmpdir(), 'aspy-self-check-'))
    : resolve(process.env['ASPY_DATA'] || defaultDataDir())
  const out = join(import.meta.dirname, '..')
  const isBackground = process.argv.includes(BACKGROUND_FLAG)
  const folder = keepWithData(dataDir, isBackground)
  if (isSelfCheck) {
    return runWhenReady(async () => {
      const { checkItself } = await import('./self-check.ts')
      app.exit((await checkItself({ out, dataDir, file: result })) ? 0 : 1)
    })
  }
  if (isBackground) {
    return runWhenReady(async () => {
      const { serveInBackground } = await import('./background.ts')
      await serveInBackground(dataDir, join(out, 'renderer'))
    })
  }
  if (!app.requestSingleInstanceLock()) return app.quit()
  const links = listenForLinks()
  runWhenReady(async () => {
    const { runDesktop } = await import('./desktop.ts')
    await runDesktop({ dataDir, out, folder, links })
  })
}

/** Puts the page's storage in the data folder, readable by its owner only. This also limits each folder to one window. */
function keepWithData(dataDir: string, isBackground: boolean): string {
  const folder = join(dataDir, 'desktop', ...(isBackground ? ['background'] : []))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    app.setPath('userData', folder)
    return folder
  } catch {
    // The window reports that the folder cannot be written. Until then, Electron's default folder is used.
    return app.getPath('userData')
  }
}

function runWhenReady(start: () => Promise<void>): void {
  app
    .whenReady()
    .then(start)
    .catch((error: unknown) => {
      dialog.showErrorBox('Aspy could not start', errorMessage(error))
      app.exit(1)
    })
}
