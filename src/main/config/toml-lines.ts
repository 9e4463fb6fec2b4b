/**
 * The line (from 1) on which a key of a TOML file stands; a table's header where the path names a table, 1 where
 * nothing is found. The parser gives no positions, so this reads headers and `key =` itself; it is asked only for
 * files that the parser took.
 */
export function lineOfKey(text: string, path: readonly string[]): number {
  let table: string[] = []
  let closing: string | null = null
  let nearest = 1
  for (const [index, line] of text.split('\n').entries()) {
    if (closing !== null) {
      if (line.includes(closing)) closing = null
      continue
    }
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(#.*)?$/.exec(line)
    const entry =
      header === null
        ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)$/.exec(line)
        : null
    if (header !== null) table = tomlNames(header[1] ?? '')
    const here = entry === null ? table : [...table, ...tomlNames(entry[1] ?? '')]
    // A path may go on inside the value: an item of a list, a key of an inline table.
    if (entry !== null && (startsWith(here, path) || startsWith(path, here))) return index + 1
    if (header !== null && startsWith(here, path)) return index + 1
    if (header !== null && startsWith(path, here)) nearest = index + 1
    closing = opensString(entry?.[2] ?? '')
  }
  return nearest
}

/** The names of a dotted key, without their quotes. */
export function tomlNames(dotted: string): string[] {
  return (dotted.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? []).map((name) => name.replace(/^(["'])(.*)\1$/, '$2'))
}

function startsWith(list: readonly string[], start: readonly string[]): boolean {
  return start.length <= list.length && start.every((name, index) => list[index] === name)
}

/** The quotes that end a string of several lines begun in this value. */
function opensString(value: string): string | null {
  for (const quotes of ['"""', "'''"]) {
    const first = value.indexOf(quotes)
    if (first >= 0 && value.indexOf(quotes, first + 3) < 0) return quotes
  }
  return null
}
