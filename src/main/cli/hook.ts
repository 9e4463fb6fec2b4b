import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { passHookOn } from '../claude-code/pass-hook-on.ts'
import { defaultDataDir } from '../default-data-dir.ts'

/**
 * Entry of `aspy hook`: a hook's JSON on stdin goes to the running app. A client waits for this, so it loads next to
 * nothing, has a second for all it does, says nothing but what is meant for the model, and always ends with 0.
 */

/** For asking the app, and for all of it, in ms. */
const ASK_MS = 800
const LIMIT_MS = 1000
/** Longer hooks do not come: the app takes no more either. */
const MAX_BYTES = 16 * 1024 * 1024

function dataFolder(): string {
  const { values } = parseArgs({
    args: process.argv.slice(process.argv.indexOf('hook') + 1),
    options: { data: { type: 'string' } },
    strict: false,
  })
  const { data } = values
  return resolve(typeof data === 'string' ? data : process.env['ASPY_DATA'] || defaultDataDir())
}

async function stdin(): Promise<string> {
  if (process.stdin.isTTY) return ''
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BYTES) return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}

setTimeout(() => process.exit(0), LIMIT_MS).unref()
try {
  const body = await stdin()
  const signal = AbortSignal.timeout(ASK_MS)
  if (body !== '') process.stdout.write(await passHookOn({ body, dataDir: dataFolder(), signal }))
} catch (error) {
  // A hook that fails must not be seen by the person whose prompt waits for it.
  if (process.env['ASPY_LOG'] === 'debug') process.stderr.write(`${String(error)}\n`)
}
process.stdin.destroy()
