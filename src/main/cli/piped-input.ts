import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from '../base/default-data-dir.ts'

/** Input of the commands that Claude Code calls and waits for. */

/** More than any hook that the app accepts. */
export const MAX_INPUT_BYTES = 16 * 1024 * 1024

/** Returns the data folder: from the command's flag, the environment, or the platform default. */
export function dataFolder(command: string): string {
  const { values } = parseArgs({
    args: process.argv.slice(process.argv.indexOf(command) + 1),
    options: { data: { type: 'string' } },
    strict: false,
  })
  const { data } = values
  return resolve(typeof data === 'string' ? data : process.env['ASPY_DATA'] || defaultDataDir())
}

/** Reads all of stdin as text. Returns '' if stdin is a terminal, and null if the input is too long. */
export async function readStdin(): Promise<string | null> {
  if (process.stdin.isTTY) return ''
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_INPUT_BYTES) return null
  }
  return Buffer.concat(chunks).toString('utf8')
}
