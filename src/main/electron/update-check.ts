import { DAY_MS } from '../../shared/time-units.ts'

/** The part of electron-updater that is used. */
export interface Updater {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  requestHeaders: object | null
  setFeedURL(options: { provider: 'generic'; url: string }): void
  checkForUpdates(): Promise<unknown>
  on(event: 'update-downloaded', listener: (info: { version: string }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  quitAndInstall(): void
}

export type UpdateCheck = ReturnType<typeof createUpdateCheck>

const EVERY_MS = DAY_MS

/**
 * Checks for new versions once a day, if an address is set. The updater is loaded only then; it verifies a download
 * against the signed list before offering it.
 */
export function createUpdateCheck(options: {
  readonly load: () => Promise<Updater>
  readonly isPackaged: boolean
  readonly onWaiting: (version: string) => void
  readonly onFault: (error: unknown) => void
}) {
  const { load, isPackaged, onWaiting, onFault } = options
  let wanted = ''
  let updater: Updater | null = null
  let version: string | null = null
  let timer: NodeJS.Timeout | null = null

  async function begin(url: string): Promise<void> {
    if (updater === null) {
      const loaded = await load()
      updater = loaded
      loaded.autoDownload = true
      // Quitting must ask first if clients are running, so updates are never installed silently.
      loaded.autoInstallOnAppQuit = false
      // The updater would send an ID that it keeps for each installation.
      loaded.requestHeaders = { 'x-user-staging-id': 'none' }
      loaded.on('update-downloaded', (info) => {
        version = info.version
        onWaiting(info.version)
      })
      loaded.on('error', onFault)
    }
    if (wanted !== url) return
    updater.setFeedURL({ provider: 'generic', url })
    await updater.checkForUpdates()
  }

  return {
    /** Checks this address for new versions from now on; '' stops checking. */
    apply(url: string) {
      if (!isPackaged || url === wanted) return
      wanted = url
      if (timer !== null) clearInterval(timer)
      timer = null
      if (url === '') return
      const check = () => void begin(url).catch(onFault)
      check()
      timer = setInterval(check, EVERY_MS)
      timer.unref()
    },
    /** The downloaded version that is ready to install; null if there is none. */
    waiting: () => version,
    /** Installs the downloaded version and restarts. */
    install: () => updater?.quitAndInstall(),
    stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}
