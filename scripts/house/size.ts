import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseSync } from 'oxc-parser'

/** Counts of a tree, or their maximum. */
export interface Size {
  /** Lines of code in `src` by area, such as `main/store`, and of everything as `src`. */
  readonly lines: Readonly<Record<string, number>>
  /** Files of `src` that name a column. */
  readonly files_naming: Readonly<Record<string, number>>
}

/** Columns that a newcomer meets often: the fewer files state one, the cheaper the next. */
const COLUMNS = ['unpriced_calls', 'cost_usd', 'cache_read_tokens', 'last_event_at', 'stop_reason'] as const

/** Counts the lines of code (TypeScript, SQL, CSS; neither tests, blank lines nor comments) of a checkout. */
export function sizeOf(root: string): Size {
  const lines: Record<string, number> = { src: 0 }
  const naming = new Map<string, number>(COLUMNS.map((column) => [column, 0]))
  for (const path of globSync('src/**/*.{ts,tsx,sql,css}', { cwd: root })) {
    const file = path.split(sep).join('/')
    if (/\.test\.tsx?$|\/fixtures\//.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    const count = codeLines(file, text)
    const [, side = '', folder = '', ...rest] = file.split('/')
    const area = rest.length === 0 ? side : `${side}/${folder}`
    lines['src'] = (lines['src'] ?? 0) + count
    lines[area] = (lines[area] ?? 0) + count
    for (const column of COLUMNS)
      if (new RegExp(`\\b${column}\\b`).test(text)) naming.set(column, (naming.get(column) ?? 0) + 1)
  }
  return { lines, files_naming: Object.fromEntries(naming) }
}

/** Returns counts that are larger than their ceiling, and areas without one. */
export function overCeilings(size: Size, ceilings: Size): readonly string[] {
  const parts = ['lines', 'files_naming'] as const
  return parts.flatMap((part) =>
    Object.entries(size[part]).flatMap(([name, count]) => {
      const most = ceilings[part][name]
      if (most !== undefined && count <= most) return []
      const limit = most === undefined ? 'no ceiling' : `a ceiling of ${most}`
      return [
        `${part} of ${name}: ${count}, with ${limit} in scripts/house/ceilings.json: make it smaller, or raise it and say why`,
      ]
    }),
  )
}

function codeLines(file: string, text: string): number {
  return withoutComments(file, text)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

function withoutComments(file: string, text: string): string {
  if (file.endsWith('.css')) return text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  if (file.endsWith('.sql')) return text.replaceAll(/^\s*--.*$/gm, '')
  let code = ''
  let at = 0
  for (const { start, end } of parseSync(file, text).comments) {
    code += text.slice(at, start)
    at = end
  }
  return code + text.slice(at)
}
