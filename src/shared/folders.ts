/** Compares folders of Windows, whose names have either slash and any case: `w:\\ferry` is `W:/ferry`. */
export function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true
  const name = windowsName(one)
  return name !== null && name === windowsName(other)
}

/** Returns one name for all spellings of a folder of Windows; null for a folder of another system. */
export function windowsName(path: string): string | null {
  // `/c/proj` of Git Bash and `/mnt/c/proj` of WSL are folders of a drive, too.
  const drive = path.replace(/^\/(?:mnt\/)?([a-z])(?=\/|$)/i, '$1:')
  const name = drive.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase()
  return /^(?:[a-z]:|\/\/)/.test(name) ? name : null
}

/**
 * Returns the repository of a worktree that is in a hidden folder of it (`.claude/worktrees/x`, `.worktrees/x`) or in a
 * folder named after it (`repo.worktrees/x`); else the folder itself. A home folder is not a repository.
 */
export function mainFolderOf(folder: string): string {
  const main = folder.replace(/(?:[\\/]\.[\w-]+[\\/]|[\\/]?\.)worktrees[\\/].*$/s, '')
  return main === '' || HOME.test(main) ? folder : main
}
const HOME = /^(?:(?:[a-z]:)?[\\/](?:home|users)[\\/][^\\/]+|[\\/]root|~)$/i
