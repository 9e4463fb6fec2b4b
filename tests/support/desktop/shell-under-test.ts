import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { describeConfig } from '../../../src/main/config/describe-config.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { desktopSettings, settingsEffects, type DesktopSettings } from '../../../src/main/electron/desktop-settings.ts'
import { applyLoginStart } from '../../../src/main/electron/login-start.ts'
import { createNoticeWatch, type NoticeWatch } from '../../../src/main/electron/notice-watch.ts'
import { createRecallShortcut } from '../../../src/main/electron/recall-shortcut.ts'
import { createUpdateCheck } from '../../../src/main/electron/update-check.ts'

/** The desktop shell's parts under some settings, with a system that only records calls. */
export interface ShellUnderTest {
  readonly settings: DesktopSettings
  /** Shortcuts that were registered, addresses that were queried for updates, notices that were shown. */
  readonly keys: readonly string[]
  readonly queried: readonly string[]
  readonly shown: readonly unknown[]
  readonly notices: NoticeWatch
}

/** Applies settings to a shell whose home folder is `home`, and lets `look` see what became of them. */
export async function inTheShell(
  home: string,
  settings: Readonly<Record<string, unknown>>,
  look: (shell: ShellUnderTest) => Promise<void>,
): Promise<void> {
  const keys: string[] = []
  const queried: string[] = []
  const shown: unknown[] = []
  const updater = Object.assign(new EventEmitter(), {
    autoDownload: false,
    autoInstallOnAppQuit: false,
    requestHeaders: null,
    setFeedURL: ({ url }: { url: string }) => void queried.push(url),
    checkForUpdates: async () => undefined,
    quitAndInstall: () => undefined,
  })
  const register = (accelerator: string) => keys.push(accelerator) > 0
  const updates = createUpdateCheck({
    load: async () => updater,
    isPackaged: true,
    onWaiting: () => undefined,
    onFault: (error) => shown.push(error),
  })
  const items = { getLoginItemSettings: () => ({ openAtLogin: false }), setLoginItemSettings: () => undefined }
  const apply = settingsEffects({
    shortcut: createRecallShortcut(
      { register, unregister: () => undefined },
      () => undefined,
      (fault) => shown.push(fault),
    ),
    updates,
    login: (isWanted) =>
      applyLoginStart(isWanted, { platform: 'linux', home: home, env: {}, command: ['/aspy'], items }),
    onFault: (error) => shown.push(error),
  })
  try {
    const loaded = loadConfig({ file: join(home, 'no-config.toml'), flags: settings })
    const now = desktopSettings(describeConfig(loaded))
    apply(now)
    const notices = createNoticeWatch({
      settings: () => now,
      isLooking: () => false,
      notify: (notice) => shown.push(notice),
    })
    await look({ settings: now, keys, queried, shown, notices })
  } finally {
    updates.stop()
  }
}
