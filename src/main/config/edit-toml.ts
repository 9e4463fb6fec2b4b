import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { AspyError } from '../../shared/contract/errors.ts'
import { commentAt, tomlStatements, type TomlStatement } from './toml-statements.ts'
import { tomlValue } from './toml-value.ts'

/** A change of one setting in a TOML file. A null value removes it. */
interface TomlChange {
  readonly section: string
  readonly key: string
  readonly value: unknown
}

/**
 * Changes one value in a TOML text. Keeps every other line, comments and line endings. Throws `conflict` if the value
 * cannot be changed line by line (an inline table, or a table of its own).
 */
export function editToml(text: string, { section, key, value: given }: TomlChange): string {
  const value: unknown = structuredClone(given)
  const change = { section, key, value }
  const before = parsed(text)
  if (isDeepStrictEqual(before[section]?.[key], value ?? undefined)) return text
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const statements = tomlStatements(lines)
  const own = statements.find(({ kind, path }) => kind === 'value' && isDeepStrictEqual(path, [section, key]))
  if (own) lines.splice(own.from, own.to - own.from + 1, ...replaced(lines.slice(own.from, own.to + 1), value))
  else insert(lines, statements, change)
  const edited = lines.length === 0 ? '' : `${lines.join(end)}${end}`
  if (!isChangedAlone(before, edited, change)) {
    throw new AspyError(
      'conflict',
      `[${section}] ${key} cannot be changed automatically where it is; edit the config file by hand`,
    )
  }
  return edited
}

/** Returns a statement with a new value. Comments inside the value move before it; a trailing comment stays. */
function replaced(lines: readonly string[], value: unknown): string[] {
  // In a multi-line string, # does not start a comment; only after its closing quotes.
  const isLongString = /"""|'''/.test(lines.join('\n'))
  const comments = lines.map((line, index) => {
    if (isLongString) return index < lines.length - 1 ? '' : (/(?:"""|''')\s*(#.*)$/.exec(line)?.[1] ?? '')
    return commentAt(line) < 0 ? '' : line.slice(commentAt(line))
  })
  const [first = ''] = lines
  const [, indent = ''] = /^(\s*)/.exec(first) ?? []
  const inside = comments.slice(0, -1).filter(Boolean)
  if (value === null) return inside.map((comment) => indent + comment)
  const last = lines.at(-1) ?? ''
  const behind = comments.at(-1) ?? ''
  const gap = behind === '' ? '' : (/\s*$/.exec(last.slice(0, last.length - behind.length))?.[0] ?? '')
  const start = /^[^=]*=\s*/.exec(first)?.[0] ?? ''
  return [...inside.map((comment) => indent + comment), `${start}${tomlValue(value)}${gap}${behind}`.trimEnd()]
}

function insert(lines: string[], statements: readonly TomlStatement[], { section, key, value }: TomlChange): void {
  if (value === null) return
  const line = `${key} = ${tomlValue(value)}`
  const header = statements.find(({ kind, path }) => kind === 'header' && isDeepStrictEqual(path, [section]))
  if (header) return void lines.splice(header.from + 1, 0, line)
  // With `section.other = …` before any header, a header would define the section twice.
  const firstHeader = statements.findIndex(({ kind }) => kind === 'header')
  const top = firstHeader < 0 ? statements : statements.slice(0, firstHeader)
  const neighbour = top.findLast(({ path }) => path[0] === section && path.length > 1)
  if (neighbour) return void lines.splice(neighbour.to + 1, 0, `${section}.${line}`)
  lines.push(...(lines.length === 0 ? [] : ['']), `[${section}]`, line)
}

/** Returns whether the edited text differs only in this value. */
function isChangedAlone(before: Tables, edited: string, { section, key, value }: TomlChange): boolean {
  const after = parsed(edited, 'conflict')
  const { [key]: given, ...rest } = after[section] ?? {}
  const { [key]: _, ...restBefore } = before[section] ?? {}
  const others = (tables: Tables) => Object.entries(tables).filter(([name]) => name !== section)
  return (
    isDeepStrictEqual(given, value ?? undefined) &&
    isDeepStrictEqual(rest, restBefore) &&
    isDeepStrictEqual(others(after), others(before))
  )
}

/** Returns a value from a TOML text; undefined if missing. Throws `bad_input` if the text is not valid TOML. */
export function valueIn(text: string, section: string, key: string): unknown {
  const table: unknown = parsed(text)[section]
  return typeof table === 'object' && table !== null ? (table as Record<string, unknown>)[key] : undefined
}

type Tables = { readonly [section: string]: { readonly [key: string]: unknown } | undefined }

/** Parses the text. Cloning adds the prototypes that the parser's tables lack, so that comparisons work. */
function parsed(text: string, code: 'bad_input' | 'conflict' = 'bad_input'): Tables {
  try {
    return structuredClone(parse(text)) as Tables
  } catch (error) {
    const why = String(error).split('\n')[0]
    const message =
      code === 'bad_input'
        ? `the config file is not valid TOML: ${why}`
        : `the value cannot be changed automatically; edit the config file by hand (${why})`
    throw new AspyError(code, message, { cause: error })
  }
}
