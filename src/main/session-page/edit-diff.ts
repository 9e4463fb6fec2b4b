import { linesOf } from '../../shared/change-lines.ts'
import type { FileChange } from '../../shared/file-change.ts'
import { escaped, shown } from './html-text.ts'

const SIGNS = { added: '+', removed: '-', same: ' ' } as const
const WORDS = { add: 'Add', update: 'Update', delete: 'Delete', write: 'Write' } as const

/** Formats a call's changes as a diff, each file below a line that names it. */
export function editDiff(files: readonly FileChange[]): string {
  const lines = files.flatMap(({ path, change, parts }) => [
    `${WORDS[change]} ${path}`,
    ...parts.flatMap((part, at) => [
      ...(at === 0 ? [] : ['…']),
      ...linesOf(part).map(({ kind, text }) => SIGNS[kind] + text),
    ]),
  ])
  const { text, note } = shown(lines.join('\n'))
  const html = text.split('\n').map((line) => {
    if (line.startsWith('+')) return `<ins>${escaped(line)}</ins>`
    return line.startsWith('-') ? `<del>${escaped(line)}</del>` : escaped(line)
  })
  return `<pre class="diff">${html.join('\n')}</pre>${note}`
}
