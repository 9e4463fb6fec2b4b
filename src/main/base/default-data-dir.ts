import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
}

/** Returns the platform's default folder for application data. */
export function defaultDataDir(
  { env, platform, home }: Surroundings = { env: process.env, platform: process.platform, home: homedir() },
): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'aspy')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'aspy')
  const xdg = env['XDG_DATA_HOME']
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.local', 'share'), 'aspy')
}
