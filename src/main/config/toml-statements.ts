import { parse } from 'smol-toml'
import { tomlNames } from './toml-lines.ts'

/** A statement of a TOML file: a table header, or `key = value` with all lines of the value. */
export interface TomlStatement {
  readonly kind: 'header' | 'value'
  /** Names of the table; for a value, followed by the names in its key. */
  readonly path: readonly string[]
  /** First and last line, from 0. */
  readonly from: number
  readonly to: number
}

/** Splits the lines of a valid TOML file into statements, without comments and empty lines. */
export function tomlStatements(lines: readonly string[]): TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: readonly string[] = []
  for (let from = 0; from < lines.length; from += 1) {
    const line = lines[from] ?? ''
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(#.*)?$/.exec(line)
    if (header) {
      table = tomlNames(header[1] ?? '')
      statements.push({ kind: 'header', path: table, from, to: from })
      continue
    }
    const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)
    if (!key) continue
    const to = lastLine(lines, from)
    statements.push({ kind: 'value', path: [...table, ...tomlNames(key[1] ?? '')], from, to })
    from = to
  }
  return statements
}

/** Returns the last line of a statement: the first line up to which it parses. */
function lastLine(lines: readonly string[], from: number): number {
  for (let to = from; to < lines.length; to += 1) if (isToml(lines.slice(from, to + 1).join('\n'))) return to
  return from
}

/** Returns the position of a comment on a line, ignoring strings; -1 if there is none. */
export const commentAt = (line: string): number =>
  line.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (string) => '_'.repeat(string.length)).indexOf('#')

function isToml(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
