/**
 * `npm run package`: packs the desktop app for this system into out/packages. Electron's package downloads its runtime;
 * electron-builder is installed from npm into node_modules/.cache. If the runtime is not available, everything else is
 * packed and a message says what is missing. Extra arguments are passed to electron-builder (`-- --mac --arm64`).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fetchBuilder } from './fetch-builder.ts'
import { packDesktop, writeStubRuntime } from './pack-desktop.ts'

const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache')
const output = join(root, 'out/packages')
const say = (line: string) => console.log(line)

/** Tries to download Electron's runtime, and returns whether it is available. */
function hasRuntime(): boolean {
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  if (existsSync(join(folder, 'path.txt'))) return true
  say("Fetching Electron's runtime …")
  spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 300_000 })
  return existsSync(join(folder, 'path.txt'))
}

const builder = await fetchBuilder(say)
const asked = process.argv.slice(2)
if (hasRuntime()) {
  await packDesktop({ root, builder, args: asked, onLine: say })
  say(`Made in ${output}. Nothing of it is signed unless electron-builder was given certificates.`)
} else {
  const stub = join(cache, 'stub-runtime')
  rmSync(stub, { recursive: true, force: true })
  writeStubRuntime(stub)
  await packDesktop({
    root,
    builder,
    stubRuntime: stub,
    args: ['--linux', 'dir', '--x64'],
    onLine: () => undefined,
  })
  const made = join(output, 'linux-unpacked/resources/app.asar')
  say(`Packed all that runs: ${made}`)
  console.error(
    [
      "Not made: dmg, zip, nsis, AppImage, deb. They need Electron's runtime, which could not be fetched from its release",
      'page; the packed app is next to a stub that starts nothing. Run this again where that page can be reached.',
    ].join('\n'),
  )
  process.exitCode = 1
}
