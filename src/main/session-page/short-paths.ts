const HOME = /^(?:\/(?:home|Users)\/[^/]+|\/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)/
/** Fields with the text of a file, which stays as it is. */
const LITERAL: ReadonlySet<string> = new Set([
  'content',
  'lines',
  'new_string',
  'newString',
  'old_string',
  'oldString',
  'originalFile',
])

/** Returns a copy in which paths begin at the project's folder, and others of its owner at the home folder, `~`. */
export function shortPaths<T>(value: T, project: string | null): T {
  if (project === null) return value
  const home = HOME.exec(project)?.[0]
  const inProject = pattern(project, String.raw`[\\/](?=[\w.@+-])`)
  const ofHome = home === undefined ? null : pattern(home, String.raw`(?![\w-]|\.\w)`)
  const short = (text: string): string => {
    const within = text.includes(project) ? text.replaceAll(inProject, '') : text
    return ofHome === null ? within : within.replaceAll(ofHome, '~')
  }
  const copy = (one: unknown): unknown => {
    if (typeof one === 'string') return short(one)
    if (Array.isArray(one)) return one.map(copy)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [
        name,
        // Every event keeps the folder by which its paths are read, and requests are not shown.
        LITERAL.has(name) || name === 'project' || name === 'contents' || name === 'request' ? inner : copy(inner),
      ]),
    )
  }
  return copy(value) as T
}

/** Returns a pattern of a folder that is not the middle of another path. */
const pattern = (folder: string, end: string): RegExp =>
  new RegExp(String.raw`(?<![\w./\\~-])${folder.replaceAll(/[^\w/-]/g, String.raw`\$&`)}${end}`, 'g')
