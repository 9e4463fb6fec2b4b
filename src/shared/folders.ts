/** Compares folders of Windows, whose names have either slash and any case: `w:\\ferry` is `W:/ferry`. */
export function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true
  const [a = '', b = ''] = [one, other].map((path) => path.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase())
  return a === b && /^(?:[a-z]:|\/\/)/.test(a)
}

/** Returns the repository of a worktree that a client made in a hidden folder of it; else the folder itself. */
export const mainFolderOf = (folder: string): string =>
  folder.replace(/[\\/]\.[\w-]+[\\/]worktrees[\\/].*$/s, '') || folder
