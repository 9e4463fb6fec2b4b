import { countLines } from '../../shared/change-lines.ts'
import { type Diff, diffOf, type DiffRow } from '../../shared/diff-rows.ts'
import type { FileChange } from '../../shared/file-change.ts'
import { diffColors, type SyntaxToken } from '../../shared/syntax.ts'
import { counted } from '../../shared/counted.ts'
import { shortPath } from '../../shared/short-path.ts'
import { count } from './figures.ts'
import { escaped, note } from './html-text.ts'

/** Lines of a diff that the page shows. The embedded data has all of them. */
const MAX_LINES = 1000

const SIGNS = { added: '+', removed: '-', same: ' ' } as const
const TAGS = { added: 'ins', removed: 'del', same: 'span' } as const
const WORDS = { add: 'New file', update: 'Changed', delete: 'Deleted', write: 'Written' } as const

/** Formats a call's changes, each file below a line that names it. */
export function editDiff(files: readonly FileChange[], project: string | null): string {
  return files
    .map((file) => {
      const { path, change } = file
      const named = files.length > 1 || change === 'add' || change === 'delete'
      const head = named ? `<p class="file">${WORDS[change]} <code>${escaped(shortPath(path, project))}</code></p>` : ''
      return head + diffHtml(diffOfFile(file), path)
    })
    .join('')
}

/** Counts the lines that changes add and remove. */
export const editCounts = (files: readonly FileChange[]): ReturnType<typeof countLines> =>
  countLines(files.flatMap(({ parts }) => parts))

const diffOfFile = ({ parts, change }: FileChange): Diff => diffOf(parts, change === 'add' || change === 'write')

function diffHtml(diff: Diff, path: string): string {
  const { rows, isNumbered } = diff
  const colors = sizeOf(rows) > MAX_COLORED ? PLAIN : diffColors(diff, path)
  const lines = rows.slice(0, MAX_LINES).map((row) => rowHtml(row, isNumbered, colors))
  const rest = rows.length > MAX_LINES ? note(`cut here: ${count(rows.length - MAX_LINES)} more lines`) : ''
  return `<pre class="diff">${lines.join('\n')}</pre>${rest}`
}

/** Characters of a diff that has colors: a page is written while the app does other work. */
const MAX_COLORED = 8000
const PLAIN: ReturnType<typeof diffColors> = new Map()

const sizeOf = (rows: readonly DiffRow[]): number =>
  rows.reduce((sum, row) => {
    if (row.kind === 'line') return sum + row.line.text.length
    return row.kind === 'gap' ? sum : row.lines.reduce((all, { text }) => all + text.length, sum)
  }, 0)

function rowHtml(row: DiffRow, isNumbered: boolean, colors: ReturnType<typeof diffColors>): string {
  if (row.kind === 'gap') return '<i>⋯</i>'
  if (row.kind === 'fold') return `<i>⋯ ${counted(row.lines.length, 'unchanged line')}</i>`
  const { kind, text, old, next } = row.line
  // A number is not part of the text that a reader copies.
  const number = isNumbered ? ` data-line="${next ?? old ?? ''}"` : ''
  return `<${TAGS[kind]}${number}>${SIGNS[kind]}${codeHtml(colors.get(row.line), text)}</${TAGS[kind]}>`
}

/** Formats a line of code in colors, if it is short enough. */
function codeHtml(tokens: readonly SyntaxToken[] | undefined, text: string): string {
  if (tokens === undefined || text.length > MAX_LINE) return escaped(text.slice(0, MAX_LINE))
  return tokens
    .map(({ text: part, color }) => (color === undefined ? escaped(part) : `<b class="${color}">${escaped(part)}</b>`))
    .join('')
}

/** Characters of a line that the page shows. */
const MAX_LINE = 5000
