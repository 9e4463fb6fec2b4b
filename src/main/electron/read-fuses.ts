import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Start of the fuses in Electron's program: this text, a version and a length. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** Returns the file that holds the fuses. */
export function fuseFile(platform: NodeJS.Platform, program: string): string {
  const framework = '../Frameworks/Electron Framework.framework/Electron Framework'
  return platform === 'darwin' ? join(dirname(program), framework) : program
}

/** Returns the fuses in a program, one digit each; null if it has none. */
export function readFuses(file: string): string | null {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(SENTINEL)
  if (at === -1) return null
  const start = at + SENTINEL.length + 2
  return bytes.toString('latin1', start, start + (bytes[start - 1] ?? 0))
}
