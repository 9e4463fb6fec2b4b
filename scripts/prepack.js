// Installs the development packages if a clone has none, and builds, so that `npm pack` works right after `git clone`. It
// is plain JavaScript because the Node of the PATH may be too old for TypeScript. npm starts the build in a new shell: the
// present one remembers where it found the older Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs npm and returns whether it succeeded. Output goes to stderr: programs read what `npm pack` prints on stdout. */
function npm(...args) {
  const isWindows = process.platform === 'win32'
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: isWindows }
  return spawnSync(isWindows ? 'npm.cmd' : 'npm', args, options).status === 0
}

const isInstalled = existsSync(join(root, 'node_modules', 'electron-vite')) || npm('ci')
if (!isInstalled || !npm('run', '--silent', 'prepackage')) process.exitCode = 1
