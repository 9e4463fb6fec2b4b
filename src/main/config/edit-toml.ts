import { parse } from 'smol-toml'
import { AspyError } from '../../shared/contract/errors.ts'
import { lineOfKey } from './toml-lines.ts'

/** A setting's place in a TOML file, and what it shall hold; null: the line goes. */
interface TomlChange {
  readonly section: string
  readonly key: string
  readonly value: string | number | boolean | null
}

/**
 * A TOML text with one value changed: every other line, comments and line ends stay as they are. Throws `conflict` where
 * the text is written in a way that a line cannot change (an inline table, a value of several lines).
 */
export function editToml(text: string, change: TomlChange): string {
  const { section, key, value } = change
  const current = valueIn(text, section, key)
  if (current === value || (current === undefined && value === null)) return text
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (current === undefined) insert(lines, section, `${key} = ${JSON.stringify(value)}`)
  else {
    const at = lineOfKey(text, [section, key]) - 1
    // What stands before the value and the comment behind it are the writer's own.
    const [, before, , after] =
      /^([^=]*=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^#\s]+)(\s*(?:#.*)?)$/.exec(lines[at] ?? '') ?? []
    if (value === null) lines.splice(at, 1)
    else if (before !== undefined) lines[at] = `${before}${JSON.stringify(value)}${after ?? ''}`
  }
  const edited = lines.length === 0 ? '' : `${lines.join(end)}${end}`
  if (valueIn(edited, section, key) !== (value ?? undefined)) {
    throw new AspyError(
      'conflict',
      `[${section}] ${key} stands where it cannot be changed line by line: change it by hand`,
    )
  }
  return edited
}

function insert(lines: string[], section: string, line: string): void {
  const header = lines.findIndex((text) => new RegExp(String.raw`^\s*\[\s*${section}\s*\]`).test(text))
  if (header >= 0) lines.splice(header + 1, 0, line)
  else lines.push(...(lines.length === 0 ? [] : ['']), `[${section}]`, line)
}

/** A value of a TOML text; undefined where it is not there. Throws `bad_input` where the text is no TOML. */
export function valueIn(text: string, section: string, key: string): unknown {
  const table: unknown = parsed(text)[section]
  return typeof table === 'object' && table !== null ? (table as Record<string, unknown>)[key] : undefined
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    throw new AspyError('bad_input', `the config file is not valid TOML: ${String(error).split('\n')[0]}`, {
      cause: error,
    })
  }
}
