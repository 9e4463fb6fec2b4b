import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What each tool does after it was recorded: nothing, or the command that follows its own arguments. */
const TOOLS = { sudo: '', npx: '', 'dbus-run-session': 'shift; exec "$@"', 'xvfb-run': 'shift; exec "$@"' }

/** Writes tools of a runner into a folder, which change nothing of this machine. Returns the calls so far. */
export function recordTools(folder: string): () => readonly string[] {
  const calls = join(folder, 'tool-calls')
  writeFileSync(calls, '')
  for (const [name, then] of Object.entries(TOOLS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >>'${calls}'\n${then}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return () => readFileSync(calls, 'utf8').trim().split('\n')
}
