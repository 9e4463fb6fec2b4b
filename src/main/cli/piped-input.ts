import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from '../base/default-data-dir.ts'

/** What a client pipes into a command that it waits for. */

/** Longer ones do not come: the app takes no more either. */
const MAX_BYTES = 16 * 1024 * 1024

/** The data folder that a command's own flag, the environment or the platform names. */
export function dataFolder(command: string): string {
  const { values } = parseArgs({
    args: process.argv.slice(process.argv.indexOf(command) + 1),
    options: { data: { type: 'string' } },
    strict: false,
  })
  const { data } = values
  return resolve(typeof data === 'string' ? data : process.env['ASPY_DATA'] || defaultDataDir())
}

/** All of stdin as text; empty where nobody pipes anything, or too much. */
export async function readStdin(): Promise<string> {
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
