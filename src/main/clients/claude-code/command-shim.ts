import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'

/** Files that only cmd.exe can start, which reads the arguments again: `;`, `%` and quotes would not arrive as they were. */
const NEEDS_SHELL = /\.(?:cmd|bat)$/i
/**
 * The line that starts the program in the files that npm, pnpm and Yarn write: it names the file beside its own folder
 * (`%~dp0`, `%dp0%`) and passes all arguments on.
 */
const STARTS = /"%(?:~dp0|dp0%)\\?([^"%]+)"\s+%\*/i
const IS_SCRIPT = /\.[cm]?js$/i

/**
 * Returns what a client's file starts, so that no shell reads its arguments: the file itself, or the program in whose place
 * npm put a `.cmd` file.
 * @throws AspyError bad_input for another `.cmd` or `.bat` file on Windows
 */
export function programOf(file: string, platform: NodeJS.Platform = process.platform) {
  if (!NEEDS_SHELL.test(file)) return { file, args: [] }
  const [, relative] = STARTS.exec(readFileSync(file, 'utf8')) ?? []
  if (relative === undefined) {
    if (platform !== 'win32') return { file, args: [] }
    throw new AspyError(
      'bad_input',
      `${file} is not a file that npm wrote, and cmd.exe would change the arguments; give the program itself: aspy run -- PATH`,
    )
  }
  const target = resolve(dirname(file), relative.replaceAll('\\', '/'))
  if (!IS_SCRIPT.test(target)) return { file: target, args: [] }
  const ownNode = join(dirname(file), 'node.exe')
  return { file: existsSync(ownNode) ? ownNode : 'node', args: [target] }
}
