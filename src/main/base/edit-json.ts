/** A key of an object with its value; offsets in the text. */
interface Member {
  readonly key: string
  readonly start: number
  readonly valueAt: number
  readonly end: number
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`
const COMMENTS = new RegExp(String.raw`(${STRING})|\/\/[^\n]*|\/\*[^]*?\*\/|^\uFEFF`, 'g')
const LAST_COMMAS = new RegExp(String.raw`(${STRING})|(?<![{[,]\s*),(?=\s*[}\]])`, 'g')
const TOKEN = new RegExp(String.raw`\s*(${STRING}|[{}[\],:]|[^\s"{}[\],:]+)`, 'y')

/** Parses JSON that may have comments and a comma before a closing bracket. Throws `SyntaxError` for any other text. */
export const parseLooseJson = (text: string): unknown => JSON.parse(withoutComments(text).replaceAll(LAST_COMMAS, '$1'))

/** Returns the value at a path of keys; undefined if there is none. */
export function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined),
    settings,
  )
}

/**
 * Sets the value at a path of keys in the text of a JSON object, and keeps every other byte. A new key becomes the first of
 * its object, on a line of its own if the others have one. undefined removes the key, and objects that become empty.
 * jsonc-parser 3.3.1 moves comments, opens lists and takes blank lines when what it set is removed again.
 */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  const plain = withoutComments(text)
  if (plain.trim() === '')
    return value === undefined ? text : `${text}${JSON.stringify(nested(path, value), null, 2)}\n`
  const objects = [skip(plain, 0)]
  for (const [depth, key] of path.entries()) {
    const open = objects.at(-1) ?? 0
    const member = membersOf(plain, open).findLast((each) => each.key === key)
    const rest = path.slice(depth + 1)
    if (member === undefined) return value === undefined ? text : inserted(text, open, key, nested(rest, value))
    const isObject = plain[member.valueAt] === '{'
    if (rest.length > 0 && isObject) objects.push(member.valueAt)
    else if (value !== undefined) return replaced(text, member, nested(rest, value))
    else return rest.length > 0 ? text : editJson(removed(text, path, objects), path, value)
  }
  return text
}

/** Blanks comments and a byte order mark, so that all offsets stay. */
const withoutComments = (text: string): string =>
  text.replaceAll(COMMENTS, (found, string?: string) => string ?? found.replaceAll(/[^\r\n]/g, ' '))

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)

function membersOf(plain: string, open: number): readonly Member[] {
  const found: Member[] = []
  let at = skip(plain, open + 1)
  while (plain[at] !== '}') {
    const keyEnd = endOf(plain, at)
    const valueAt = skip(plain, skip(plain, keyEnd) + 1)
    const end = endOf(plain, valueAt)
    found.push({ key: JSON.parse(plain.slice(at, keyEnd)) as string, start: at, valueAt, end })
    const next = skip(plain, end)
    at = plain[next] === ',' ? skip(plain, next + 1) : next
  }
  return found
}

function skip(plain: string, at: number): number {
  let next = at
  while (/\s/.test(plain[next] ?? '')) next += 1
  return next
}

/** Returns the end of the value that begins at an offset. */
function endOf(plain: string, at: number): number {
  TOKEN.lastIndex = at
  let depth = 0
  for (;;) {
    const token = TOKEN.exec(plain)?.[1]
    if (token === undefined) throw new SyntaxError('the text is not JSON')
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 0) return TOKEN.lastIndex
  }
}

function inserted(text: string, open: number, key: string, value: unknown): string {
  const plain = withoutComments(text)
  const first = skip(plain, open + 1)
  const gap = text.slice(open + 1, first)
  const newline = newlineOf(text)
  const pair = (indent: string | null) => `${JSON.stringify(key)}: ${written(text, value, indent)}`
  const put = (added: string) => text.slice(0, open + 1) + added + text.slice(open + 1)
  if (plain[first] !== '}') {
    if (!gap.includes('\n')) return put(`${/^[ \t]*/.exec(gap)?.[0] ?? ''}${pair(null)},`)
    const indent = gap.slice(gap.lastIndexOf('\n') + 1).replace(/\S.*/, '')
    return put(`${newline}${indent}${pair(indent)},`)
  }
  if (!text.trim().includes('\n')) return put(pair(null))
  const around = indentAt(text, open)
  const indent = around + unitOf(text)
  const added = `${newline}${indent}${pair(indent)}`
  return gap.includes('\n') ? put(added) : `${text.slice(0, open + 1)}${added}${newline}${around}${text.slice(first)}`
}

function replaced(text: string, { valueAt, end }: Member, value: unknown): string {
  const isOnLines = text.slice(valueAt, end).includes('\n') || !/^[[{]/.test(text.slice(valueAt))
  const indent = isOnLines && text.trim().includes('\n') ? indentAt(text, valueAt) : null
  return text.slice(0, valueAt) + written(text, value, indent) + text.slice(end)
}

/** Removes a member that exists, or the outermost object that has nothing else. `objects`: where each one on its path opens. */
function removed(text: string, path: readonly string[], objects: readonly number[]): string {
  const plain = withoutComments(text)
  const open = objects.at(-1) ?? 0
  const members = membersOf(plain, open)
  const at = members.findLastIndex(({ key }) => key === path[objects.length - 1])
  const member = members[at]
  if (member === undefined) return text
  const inside = text.slice(open + 1, member.start) + text.slice(member.end, endOf(plain, open) - 1)
  if (objects.length > 1 && members.length === 1 && /^[\s,]*$/.test(inside))
    return removed(text, path, objects.slice(0, -1))
  const after = skip(plain, member.end)
  const hasComma = plain[after] === ','
  const end = hasComma ? after + 1 : member.end
  const before = members[at - 1]
  const comma = hasComma || before === undefined ? null : skip(plain, before.end)
  const cut = cutOf(text, member.start, end)
  return comma === null
    ? text.slice(0, cut.from) + text.slice(cut.to)
    : text.slice(0, comma) + text.slice(comma + 1, cut.from) + text.slice(cut.to)
}

/** Returns what goes with a range: its whole line if it has one, otherwise the blanks on one side. */
function cutOf(text: string, start: number, end: number): { readonly from: number; readonly to: number } {
  const lead = /(\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.[0] ?? ''
  const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0
  if (!lead.includes('\n')) return { from: start - lead.length, to: end }
  const isWholeLine = /^\r?\n/.test(text.slice(end + blanks))
  return { from: isWholeLine ? start - lead.length : start, to: end + blanks }
}

/** Writes a value on lines as the file does, or on one line if `indent` is null. */
function written(text: string, value: unknown, indent: string | null): string {
  if (indent === null) return JSON.stringify(value)
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', newlineOf(text) + indent)
}

const newlineOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'
const unitOf = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
