import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RedirectedRun, Redirection } from '../redirection.ts'

/** Commands of pi that start no session and take no extension. */
const COMMANDS: ReadonlySet<string> = new Set([
  'install',
  'remove',
  'uninstall',
  'update',
  'list',
  'config',
  'auth',
  'mcp',
])

/** Sends requests to Anthropic to our proxy, with pi's own id of the session, which it does not send by itself. */
const EXTENSION = `export default (pi) => {
  pi.registerProvider('anthropic', { baseUrl: process.env.ASPY_PI_BASE_URL })
  pi.on('before_provider_headers', (event, ctx) => {
    event.headers['x-session-id'] = ctx.sessionManager.getSessionId()
  })
}
`

/** Sends pi to our proxy through an extension for this run (1.6.0), in a folder that is removed afterwards. */
export function redirectPi({ baseUrl, args }: RedirectedRun): Redirection {
  if (COMMANDS.has(args[0] ?? '')) return { args: [], variables: {}, undo: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'aspy-pi-'))
  const file = join(folder, 'aspy.mjs')
  writeFileSync(file, EXTENSION, { mode: 0o600 })
  return {
    args: ['--extension', file],
    variables: { ASPY_PI_BASE_URL: baseUrl },
    undo: () => rmSync(folder, { recursive: true, force: true }),
  }
}
