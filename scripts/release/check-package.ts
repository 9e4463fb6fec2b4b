import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { query, run, runStep, version } from './step.ts'

/** Time limit in ms for the installed app to start. */
const START_MS = 120_000

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
    await startAndStop(join(folder, 'node_modules/aspy/bin/aspy'), join(temp, 'data'))
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

async function startAndStop(entry: string, data: string): Promise<void> {
  const ask = (...args: string[]) => query('node', [entry, ...args, '--data', data])
  const serve = [entry, 'serve', '--json', '--data', data, '--port', '0', '--proxy-port', '0']
  const app = spawn('node', serve, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(app, 'exit')
  try {
    const ready = once(app.stdout.setEncoding('utf8'), 'data', { signal: AbortSignal.timeout(START_MS) })
    if ((await Promise.race([ready, ended.then(() => null)])) === null)
      throw new Error('the installed app did not start')
    for (const args of [['status'], ['sessions', '--json'], ['stop']]) {
      const { code, stderr } = ask(...args)
      if (code !== 0) throw new Error(`aspy ${args.join(' ')} ended with ${code}: ${stderr.trim()}`)
    }
  } finally {
    // After `aspy stop`, its keeper goes on for clients that use it.
    app.kill()
    await ended
  }
}
