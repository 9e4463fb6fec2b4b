import type { TranscriptFile } from './find-files.ts'
import type { Beginnings } from './file-beginning.ts'
import { originalsFirst } from './fork-order.ts'
import { copiesLines } from './transcript-names.ts'

/**
 * Newest first, so that search soon covers recent work; a session comes before its subagents, an original before its
 * forks. Rollouts name the thread that they were forked from, and their order is that of their beginnings.
 */
export async function newestFirst(
  files: readonly TranscriptFile[],
  beginningOf: Beginnings,
): Promise<readonly TranscriptFile[]> {
  const others = files.filter(({ path }) => !copiesLines(path))
  const blocks: TranscriptFile[][] = []
  for (const file of files) {
    if (!copiesLines(file.path)) continue
    const last = blocks.at(-1)
    if (file.isAgent && last !== undefined) last.push(file)
    else blocks.push([file])
  }
  return [...(await originalsFirst(blocks.toReversed().flat(), beginningOf)), ...others]
}

/** Returns, for each file, the last modification of it and all later files. */
export function newestFrom(files: readonly TranscriptFile[]): readonly string[] {
  let newest = 0
  return files
    .toReversed()
    .map(({ mtimeMs }) => {
      newest = Math.max(newest, mtimeMs)
      return new Date(newest).toISOString()
    })
    .toReversed()
}
