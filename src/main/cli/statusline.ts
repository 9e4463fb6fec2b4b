import { statusLine } from '../clients/claude-code/status-line.ts'
import { dataFolder, readStdin } from './piped-input.ts'

/**
 * Entry of `aspy statusline`: Claude Code's JSON on stdin, one line on stdout. Claude Code runs it every few hundred
 * milliseconds, so it loads next to nothing, has a second for all it does, prints nothing where it fails, and ends with 0.
 */

/** For asking the app, and for all of it, in ms. */
const ASK_MS = 800
const LIMIT_MS = 1000

setTimeout(() => process.exit(0), LIMIT_MS).unref()
try {
  const body = await readStdin()
  const signal = AbortSignal.timeout(ASK_MS)
  const baseUrl = process.env['ANTHROPIC_BASE_URL']
  if (body !== '') console.log(await statusLine({ body, dataDir: dataFolder('statusline'), baseUrl, signal }))
} catch (error) {
  // An error would stand where the person looks for figures.
  if (process.env['ASPY_LOG'] === 'debug') process.stderr.write(`${String(error)}\n`)
}
process.stdin.destroy()
