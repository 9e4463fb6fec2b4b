import { DOUBT, type FileStep } from './file-step.ts'
import { joinedPath, nameOf } from './joined-path.ts'

/**
 * Returns what `mv` or `cp` did. Several go into a folder; a single one to a name, or into a folder: which of them, often
 * nobody can say.
 */
export function movedSteps(
  paths: readonly (string | null)[],
  flags: string,
  folder: string | null,
  isCopy: boolean,
  globs: readonly (string | undefined)[] = [],
): FileStep[] {
  const sources = paths.slice(0, -1)
  const to = paths.at(-1) ?? null
  const target = to === null ? null : joinedPath(folder, to)
  if (sources.length === 0 || to === null || target === null || !/^(?:-[fvrRpa]+ ?)*$/.test(flags)) return [DOUBT]
  const isFolder = /[/]$|(?:^|[/])\.\.?$/.test(to) || sources.length > 1
  return sources.flatMap((source, at): FileStep | readonly FileStep[] => {
    const [glob, above] = [globs[at], joinedPath(folder, folderOf(globs[at]) ?? '.')]
    if (glob !== undefined && above !== null)
      return { kind: 'moved', path: above, to: target, isCopy, isSure: isFolder, only: nameOf(glob) }
    const path = source === null ? null : joinedPath(folder, source)
    if (path === null || source === null) return DOUBT
    // With a slash or a dot at its end, a copy is of what is in the folder.
    if (/[/.]$/.test(source) && isCopy) return { kind: 'doubted', path: target }
    const isSure = isFolder || isSameKind(nameOf(path), nameOf(target))
    return { kind: 'moved', path, to: isFolder ? `${target}/${nameOf(path)}` : target, isCopy, isSure }
  })
}

/** Returns the folder of the files that a pattern names. */
export const folderOf = (glob: string | undefined): string | null =>
  glob === undefined ? null : glob.slice(0, glob.lastIndexOf('/') + 1) || '.'

const endingOf = (name: string): string => /\.[^./]+$/.exec(name)?.[0] ?? ''

/** True if both are names of files: of the same ending, or one of a copy beside it, such as `a.ts.bak`. */
function isSameKind(name: string, other: string): boolean {
  const [one, two] = [name.toLowerCase(), other.toLowerCase()]
  if (endingOf(one) === '' || endingOf(two) === '') return false
  return endingOf(one) === endingOf(two) || one.includes(two) || two.includes(one)
}
