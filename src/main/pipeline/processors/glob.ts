/**
 * Creates a matcher for a list of globs: `*` matches within a path segment, `**` across segments, `?` one character. A path
 * also matches if one of its parent folders does.
 */
export function createGlob(globs: readonly string[]): (name: string) => boolean {
  const expressions = globs.map(
    (glob) => new RegExp(`^${expressionOf(glob.replace(/[\\/]+$/, ''))}(?:[\\\\/].*)?$`, 's'),
  )
  return (name) => expressions.some((expression) => expression.test(name))
}

function expressionOf(glob: string): string {
  return glob
    .replaceAll(/\*{2,}/g, '\u0000')
    .replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll('*', '[^\\\\/]*')
    .replaceAll('?', '[^\\\\/]')
    .replaceAll('\u0000', '.*')
}
