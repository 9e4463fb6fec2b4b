import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

interface PackedPlace {
  /** Folder of the package's own resources; undefined if the app is not packed. */
  readonly resources: string | undefined
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the `aspy` command that the package brings: its own Node, and the script. Null if there is none, or if its place
 * lasts no longer than the app runs: an AppImage is mounted, and macOS may run an app from a disk image or a copy.
 */
export function packedCommand({ resources, platform, env }: PackedPlace): readonly [string, string] | null {
  if (resources === undefined || env['APPIMAGE'] || /^\/Volumes\/|\/AppTranslocation\//.test(resources)) return null
  const { join } = platform === 'win32' ? win32 : posix
  const folder = join(resources, 'command')
  const command = [join(folder, platform === 'win32' ? 'node.exe' : 'node'), join(folder, 'bin', 'aspy')] as const
  return command.every((file) => existsSync(file)) ? command : null
}
