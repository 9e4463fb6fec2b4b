import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { query } from './step.ts'

/** Time limit in ms for the app to start. */
const START_MS = 120_000

/** Starts an app behind its keeper by a command, asks it, and stops it. Throws if one of these fails. */
export async function startAndStop([node, entry]: readonly [string, string], data: string): Promise<void> {
  const ask = (...args: string[]) => query(node, [entry, ...args, '--data', data])
  const serve = [entry, 'serve', '--json', '--data', data, '--port', '0', '--proxy-port', '0']
  const app = spawn(node, serve, { stdio: ['ignore', 'pipe', 'inherit'] })
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
