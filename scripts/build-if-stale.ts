import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Builds what `npm start` and the tests run, if the sources have changed since the last build: with `always`, in any case.
 * Compares contents, not times, because a checkout or copy changes times.
 */
const root = resolve(import.meta.dirname, '..')
const stamp = join(root, 'out', 'built-from')

const SOURCES = ['src/**/*', 'resources/**/*', 'electron.vite.config.ts', 'package.json', 'package-lock.json']

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Node 24 is required, but this is ${process.version}. Run npm ci, and start through npm`)
  process.exit(1)
}

const wanted = hashSources()
const isFresh = process.argv[2] !== 'always' && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
if (!isFresh) {
  console.log('Building …')
  build()
  writeFileSync(stamp, wanted)
}

function hashSources(): string {
  const hash = createHash('sha256')
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function build(): void {
  const builder = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [builder, 'build'], { cwd: root, encoding: 'utf8' })
  if (status === 0) return
  console.error(`${stdout}\n${stderr}`)
  console.error('The build failed; see its output above.')
  process.exit(1)
}
