/** Quotes a path for a POSIX shell, if it needs quotes. */
export const shellQuoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
