const WITHIN_A_PATH = /[\w./\\~-]$/

/** Shortens paths within the session's folder: those in a text, or a path by itself. */
export function shortPath(text: string, project: string | null): string {
  if (project === null || project === '') return text
  const folder = `${project}${project.includes('\\') ? '\\' : '/'}`
  return text
    .split(folder)
    .reduce((before, part) => (WITHIN_A_PATH.test(before) ? `${before}${folder}${part}` : `${before}${part}`))
}
