import { isSameFolder } from '../../shared/folders.ts'

/** Returns the stored folders that a filter means: by path, by the last folders of it, or by some of its folders. */
export function projectsMeant(stored: readonly string[], value: string): readonly string[] {
  const wanted = value.toLowerCase()
  const same = stored.filter((one) => one.toLowerCase() === wanted || isSameFolder(one, value))
  if (same.length > 0) return same
  const folders = wanted
    .replaceAll('\\', '/')
    .replace(/\/+$/, '')
    .split('/')
    .filter((folder) => folder !== '')
  const end = folders.join('/')
  const pathOf = (project: string) =>
    `/${project
      .toLowerCase()
      .replaceAll('\\', '/')
      .replace(/^\/+|\/+$/g, '')}/`
  if (end === '') return []
  const named = stored.filter((project) => pathOf(project).endsWith(`/${end}/`))
  return named.length > 0 ? named : stored.filter((project) => pathOf(project).includes(`/${end}/`))
}
