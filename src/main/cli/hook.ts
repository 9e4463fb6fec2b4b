import { forwardHook, reportTooLarge } from '../clients/claude-code/forward-hook.ts'
import { dataFolder, MAX_INPUT_BYTES, readStdin } from './piped-input.ts'

/**
 * Entry point of `aspy hook`: forwards a hook's JSON from stdin to the running app. A client waits for it, so it loads
 * almost nothing, takes at most a second, prints only text for the model, and always exits with 0.
 */

/** Time limits in ms for the app's answer and for the whole command. */
const ASK_MS = 800
const LIMIT_MS = 1000

setTimeout(() => process.exit(0), LIMIT_MS).unref()
try {
  const body = await readStdin()
  const signal = AbortSignal.timeout(ASK_MS)
  const dataDir = dataFolder('hook')
  if (body === null) {
    process.stderr.write(`aspy hook: the hook has more than ${MAX_INPUT_BYTES} bytes and is not recorded\n`)
    await reportTooLarge({ dataDir, signal })
  } else if (body !== '') process.stdout.write(await forwardHook({ body, dataDir, signal }))
} catch (error) {
  // A failing hook must not disturb the user, whose prompt waits for it.
  if (process.env['ASPY_LOG'] === 'debug') process.stderr.write(`${String(error)}\n`)
}
process.stdin.destroy()
