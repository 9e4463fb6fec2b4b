/** Folders that hold worktrees, each in one of its own. */
const WORKTREES: ReadonlySet<string> = new Set(['worktrees', '.worktrees'])

/**
 * Returns the name of a project from its path: the last folder, after the one that tells it apart if it is a worktree
 * or has no letter (`shop/2`). A person's home tells nothing apart. null: the path is unknown.
 */
export function projectFolder(path: string | null | undefined): string | null {
  const parts = (path ?? '').split(/[\\/]/).filter((part) => part !== '')
  const last = parts.at(-1)
  if (last === undefined) return path || null
  const worktrees = parts.findIndex((part) => WORKTREES.has(part))
  const isWorktree = worktrees > 0 && worktrees < parts.length - 1
  if (!isWorktree && /\p{L}/u.test(last)) return last
  const above = parts.slice(0, isWorktree ? worktrees : -1).findLastIndex((part) => !part.startsWith('.'))
  if (above >= 0 && !isHome(parts, above)) return `${parts[above]}/${last}`
  // The worktrees of all projects are in one folder: `~/worktrees/shop/fix-a`.
  return isWorktree && worktrees < parts.length - 2 ? `${parts[worktrees + 1]}/${last}` : last
}

const isHome = (parts: readonly string[], at: number): boolean =>
  at === 0 ? /^(?:root|home|users)$/i.test(parts[0] ?? '') : /^(?:home|users)$/i.test(parts[at - 1] ?? '')
