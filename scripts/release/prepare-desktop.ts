import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT, run, runStep } from './step.ts'

/** Fetches Electron's runtime. On Linux, also a display, what shows notices, and the right that the sandbox of an unpacked Electron needs. */
await runStep(() => {
  const electron = dirname(createRequire(join(ROOT, 'package.json')).resolve('electron/package.json'))
  run(process.execPath, [join(electron, 'install.js')], { cwd: ROOT })
  if (process.platform !== 'linux') return
  const helper = join(electron, 'dist/chrome-sandbox')
  if (!existsSync(helper)) throw new Error(`Electron's runtime was not fetched: ${helper} is missing`)
  run('sudo', ['chown', 'root:root', helper])
  run('sudo', ['chmod', '4755', helper])
  run('sudo', ['apt-get', 'update', '-qq'])
  run('sudo', ['apt-get', 'install', '-y', '-qq', 'xvfb', 'dbus-x11', 'libnotify4'])
})
