/** The first text of an input, which says most; the input comes cut, so it cannot be parsed whole. */
export function inputLine(summary: string): string {
  const first = /^\{"\w+":"((?:[^"\\]|\\.)*)/.exec(summary)?.[1]
  return first === undefined ? summary : first.replaceAll('\\n', ' ').replaceAll(/\\(.)/g, '$1')
}
