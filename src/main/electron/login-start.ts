import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HIDDEN_FLAG } from './names.ts'

/** Electron's login items, for macOS and Windows. */
export interface LoginItems {
  getLoginItemSettings(options: { path: string; args: string[] }): { openAtLogin: boolean }
  setLoginItemSettings(settings: { openAtLogin: boolean; path: string; args: string[] }): void
}

export interface LoginStartOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The command that starts this program. */
  readonly command: readonly [string, ...string[]]
  readonly items: LoginItems
}

/** Makes the system start the app at login, or stop doing so. Does nothing if that is already the case. */
export function applyLoginStart(isWanted: boolean, { platform, home, env, command, items }: LoginStartOptions): void {
  const [program, ...rest] = command
  const args = [...rest, HIDDEN_FLAG]
  if (platform === 'linux') {
    // An AppImage runs from a temporary mount, so its own path must be used.
    const entry = autostartEntry([env['APPIMAGE'] || program, ...args])
    const file = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart', 'aspy.desktop')
    const now = existsSync(file) ? readFileSync(file, 'utf8') : null
    if (isWanted && now !== entry) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, entry)
    } else if (!isWanted && now !== null) rmSync(file)
    return
  }
  if (items.getLoginItemSettings({ path: program, args }).openAtLogin === isWanted) return
  items.setLoginItemSettings({ openAtLogin: isWanted, path: program, args })
}

/** Returns an entry for the autostart folder (Desktop Entry Specification, key Exec). */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Aspy',
    'Comment=Records Claude Code sessions',
    `Exec=${command.map(execWord).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/** Quotes a word for Exec. The file's string rules unescape backslashes once more; `%` starts a field code. */
function execWord(word: string): string {
  const quoted = word.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')
  return `"${quoted.replaceAll('\\', '\\\\')}"`
}
