/**
 * Whether a name fits one of the globs: `*` is any part of a name, `**` any part of a path, `?` one character; all else
 * is itself. A path also fits where one of its folders does.
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
