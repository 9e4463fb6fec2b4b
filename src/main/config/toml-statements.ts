import { parse } from 'smol-toml'
import { tomlNames } from './toml-lines.ts'

/** A statement of a TOML file: a table's header, or `key = value` with all the lines that the value takes. */
export interface TomlStatement {
  readonly kind: 'header' | 'value'
  /** The table's names; of a value, those of its table and its own. */
  readonly path: readonly string[]
  /** Its lines, counted from 0; the first and the last. */
  readonly from: number
  readonly to: number
}

/** Takes the lines of a valid TOML file apart; comments and empty lines are left out. */
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

/** A statement is whole with the first line up to which it can be parsed. */
function lastLine(lines: readonly string[], from: number): number {
  for (let to = from; to < lines.length; to += 1) if (isToml(lines.slice(from, to + 1).join('\n'))) return to
  return from
}

/** Where on a statement's line a comment begins, strings aside; -1: there is none. */
export function commentAt(line: string): number {
  return line.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (string) => '_'.repeat(string.length)).indexOf('#')
}

function isToml(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
