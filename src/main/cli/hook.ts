import { passHookOn } from '../clients/claude-code/forward-hook.ts'
import { dataFolder, readStdin } from './piped-input.ts'

/**
 * Entry of `aspy hook`: a hook's JSON on stdin goes to the running app. A client waits for this, so it loads next to
 * nothing, has a second for all it does, says nothing but what is meant for the model, and always ends with 0.
 */

/** For asking the app, and for all of it, in ms. */
const ASK_MS = 800
const LIMIT_MS = 1000

setTimeout(() => process.exit(0), LIMIT_MS).unref()
try {
  const body = await readStdin()
  const signal = AbortSignal.timeout(ASK_MS)
  if (body !== '') process.stdout.write(await passHookOn({ body, dataDir: dataFolder('hook'), signal }))
} catch (error) {
  // A hook that fails must not be seen by the person whose prompt waits for it.
  if (process.env['ASPY_LOG'] === 'debug') process.stderr.write(`${String(error)}\n`)
}
process.stdin.destroy()
