import { open } from 'node:fs/promises'
import { AspyError } from '../../../shared/contract/errors.ts'
import { clientOfFile } from './file-decoder.ts'
import { NotATranscript } from './file-error.ts'

/** Throws `bad_input` for a file that was named itself and that none of our clients wrote: nothing is imported then. */
export async function refuseOthers(paths: readonly string[], folders: readonly string[]): Promise<void> {
  for (const path of paths) if (!folders.includes(path)) await refuse(path)
}

async function refuse(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await clientOfFile(path, file)
  } catch (error) {
    if (!(error instanceof NotATranscript)) throw error
    const message = `${path} is not a transcript of Claude Code, Codex, pi, Kimi Code, Qwen Code or Copilot CLI: ${error.message}`
    throw new AspyError('bad_input', message, { cause: error })
  } finally {
    await file.close()
  }
}
