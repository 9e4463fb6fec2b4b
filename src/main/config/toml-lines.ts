/**
 * Returns the line number (from 1) of a key or table header in a TOML file; 1 if it is not found. The parser reports no
 * positions, so this scans headers and `key =` itself. Expects valid TOML.
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
    // A path may continue inside the value: an item of a list, or a key of an inline table.
    if (entry !== null && (startsWith(here, path) || startsWith(path, here))) return index + 1
    if (header !== null && startsWith(here, path)) return index + 1
    if (header !== null && startsWith(path, here)) nearest = index + 1
    closing = opensString(entry?.[2] ?? '')
  }
  return nearest
}

/** Returns the names of a dotted key, without quotes. */
export const tomlNames = (dotted: string): string[] =>
  (dotted.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? []).map((name) => name.replace(/^(["'])(.*)\1$/, '$2'))

const startsWith = (list: readonly string[], start: readonly string[]): boolean =>
  start.length <= list.length && start.every((name, index) => list[index] === name)

/** Returns the closing quotes of a multi-line string that starts in this value; null if none does. */
function opensString(value: string): string | null {
  for (const quotes of ['"""', "'''"]) {
    const first = value.indexOf(quotes)
    if (first >= 0 && value.indexOf(quotes, first + 3) < 0) return quotes
  }
  return null
}
