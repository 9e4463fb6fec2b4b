/** Returns an absolute path without `.` and `..`, with `/` between its parts; null if its folder is not known. */
export function joinedPath(folder: string | null, path: string): string | null {
  const plain = path.replaceAll('\\', '/')
  const whole = isAbsolute(plain) ? plain : folder === null ? null : `${folder.replaceAll('\\', '/')}/${plain}`
  if (whole === null) return null
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  // A drive of Windows is the same in both cases, and clients write either.
  const joined = parts.join('/').replace(/^[a-z](?=:(?:\/|$))/, (drive) => drive.toUpperCase())
  return `${whole.startsWith('/') ? '/' : ''}${joined}`
}

const isAbsolute = (path: string): boolean => /^(?:\/|[a-z]:\/)/i.test(path)

/** Returns the last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
