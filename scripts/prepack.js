// Installs the development packages if a clone has none, so that `npm pack` works right after `git clone`. It is plain
// JavaScript because the Node of the PATH may be too old for TypeScript; the next command finds the one just installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
if (!existsSync(join(root, 'node_modules', 'electron-vite'))) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  // Output goes to stderr: what `npm pack` prints on stdout is read by programs.
  const { status } = spawnSync(npm, ['ci'], { cwd: root, stdio: ['ignore', 2, 2], shell: npm.endsWith('.cmd') })
  process.exitCode = status ?? 1
}
