import { linesIn, type FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'

/** Flags with which the new side of `git diff` is not a file on disk, or its lines are not whole. */
const OTHER_SIDE =
  /^(?:--cached|--staged|--no-index|--word-diff|--color|--ignore|-[wbR]|--relative|--no-prefix|--src|--dst)/
const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/

const MAX_NAMED = 200

/** Returns the names of the files that the output of `git diff` may show. */
export function namesOfDiff(output: string): readonly string[] {
  if (!output.includes('diff --git ')) return []
  return [
    ...output
      .matchAll(/^\+\+\+ b\/(.+?)\t?$/gm)
      .map(([, name = '']) => name)
      .take(MAX_NAMED),
  ]
}

/**
 * Returns what the output of `git diff` shows of files on disk: their lines in each hunk. Nothing for a comparison of two
 * revisions. Paths are those of the repository's folder: a diff from below it names files that are not there, and says
 * nothing of others.
 */
export function diffSteps(args: readonly string[], folder: string | null, output: string): readonly FileStep[] {
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  // One name is a file, or a revision to compare the files on disk with; of two, the second may be a revision, too.
  const names = before.filter((word) => !word.startsWith('-'))
  if (names.length > 1 || names[0]?.includes('..') === true || before.some((word) => OTHER_SIDE.test(word))) return []
  const steps: FileStep[] = []
  let path: string | null = null
  // Only between two files: a changed line may look like the name of one.
  let isHead = false
  const lines = output.split('\n')
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('diff --git ')) [path, isHead] = [null, true]
    const named = /^\+\+\+ b\/(.+?)\t?$/.exec(line)?.[1]
    // A name with unusual letters is quoted, and not looked at.
    if (named !== undefined && isHead) path = joinedPath(folder, named)
    const [, from, count = '1'] = HUNK.exec(line) ?? []
    if (from !== undefined) isHead = false
    const shown = from === undefined || path === null ? null : newSide(lines.slice(at + 1), Number(count))
    if (shown !== null && path !== null) {
      const { lines, ending } = linesIn(shown)
      const own = lines.slice(0, Number(count))
      steps.push({ kind: 'shown', path, from: Number(from), lines: own, ending, isWhole: false })
    }
  }
  return steps
}

/** Returns the text of a hunk that the file has; null if some of it is missing. */
function newSide(lines: readonly string[], count: number): string | null {
  const found: string[] = []
  let at = 0
  for (; at < lines.length && found.length < count; at += 1) {
    const line = lines[at] ?? ''
    if (line.startsWith(' ') || line.startsWith('+')) found.push(line.slice(1))
    else if (!line.startsWith('-') && !line.startsWith('\\')) return null
  }
  const end = lines[at]?.startsWith('\\') === true ? '' : '\n'
  return count > 0 && found.length === count ? `${found.join('\n')}${end}` : null
}
