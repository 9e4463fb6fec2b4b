import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startAndStop } from './start-and-stop.ts'
import { query, run, runStep, version } from './step.ts'

/**
 * Installs the package into an empty folder, starts the app, asks it, and stops it. The package is the archive in
 * `release/`, or what the first argument names.
 */
await runStep(async () => {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'aspy-check-')))
  try {
    const folder = join(temp, 'empty')
    mkdirSync(folder)
    run('npm', ['install', '--no-audit', '--no-fund', process.argv[2] ?? archive()], { cwd: folder })
    const aspy = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'aspy.cmd' : 'aspy')
    const said = query(aspy, ['--version'], { cwd: folder }).stdout.trim()
    if (said !== version) throw new Error(`the installed command says it is ${said || 'nothing'}, not ${version}`)
    await startAndStop(['node', join(folder, 'node_modules/aspy/bin/aspy')], join(temp, 'data'))
    console.log(`aspy ${version} was installed, started and stopped on ${query('node', ['--version']).stdout.trim()}.`)
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 5 })
  }
})

function archive(): string {
  const found = readdirSync('release').filter((name) => /^aspy-.*\.tgz$/.test(name))
  if (found.length !== 1) throw new Error(`release/ must hold one npm package, but holds ${found.length}`)
  return resolve('release', found[0] ?? '')
}
