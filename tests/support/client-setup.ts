import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { CLAUDE_VERSION, claudeFolder, findClaude } from './claude-client.ts'

/**
 * Before the client tests: fetches the pinned Claude Code into a cache folder, once. Where it cannot be had the tests
 * are skipped with one line; with CI set that is a failure, since a skipped client proves nothing.
 */
export default async function setUpClient(): Promise<void> {
  if (findClaude() !== null) return
  const why = await fetchClaude()
  if (why === null) return
  const line = `Claude Code ${CLAUDE_VERSION} could not be fetched from npm: ${why}`
  if (process.env['CI']) throw new Error(line)
  process.stderr.write(`The tests that run the client are skipped. ${line}\n`)
}

/** Null when it is there; else why not, in one line. */
async function fetchClaude(): Promise<string | null> {
  const folder = claudeFolder()
  mkdirSync(dirname(folder), { recursive: true })
  // Beside its place and then renamed, so that a fetch that broke off never looks like a client.
  const partial = mkdtempSync(`${folder}.`)
  try {
    await promisify(execFile)(
      process.platform === 'win32' ? 'npm.cmd' : 'npm',
      // Its scripts only copy the executable to another place.
      [
        ...'install --no-save --ignore-scripts --no-audit --no-fund --loglevel error --prefix'.split(' '),
        partial,
        `@anthropic-ai/claude-code@${CLAUDE_VERSION}`,
      ],
      { cwd: partial, timeout: 300_000, shell: process.platform === 'win32' },
    )
    if (findClaude(partial) === null) return 'it has no executable for this system'
    rmSync(folder, { recursive: true, force: true })
    renameSync(partial, folder)
    return null
  } catch (error) {
    // Another run may have fetched it meanwhile.
    if (findClaude() !== null) return null
    return String(error instanceof Error ? error.message : error)
      .replaceAll(/\s+/g, ' ')
      .slice(0, 300)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
