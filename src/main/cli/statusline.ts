import { statusLine } from '../clients/claude-code/status-line.ts'
import { dataFolder, readStdin } from './piped-input.ts'

/**
 * Entry point of `aspy statusline`: reads Claude Code's JSON from stdin and prints one line. Claude Code runs it every
 * few hundred ms, so it loads almost nothing, takes at most a second, prints nothing on failure and exits with 0.
 */

/** Time limits in ms for the app's answer and for the whole command. */
const ASK_MS = 800
const LIMIT_MS = 1000

setTimeout(() => process.exit(0), LIMIT_MS).unref()
try {
  const body = await readStdin()
  const signal = AbortSignal.timeout(ASK_MS)
  const baseUrl = process.env['ANTHROPIC_BASE_URL']
  if (body) console.log(await statusLine({ body, dataDir: dataFolder('statusline'), baseUrl, signal }))
} catch (error) {
  // An error message would appear in the status line.
  if (process.env['ASPY_LOG'] === 'debug') process.stderr.write(`${String(error)}\n`)
}
process.stdin.destroy()
