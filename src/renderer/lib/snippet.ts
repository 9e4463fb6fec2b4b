import type { Hit } from '../../shared/contract/recall.ts'
import { BAR, cellsOf } from '../../shared/table-row.ts'

/** A part of a snippet: plain text or a match. */
export interface SnippetPart {
  readonly text: string
  readonly marked: boolean
}

/**
 * Splits a hit's snippet into parts. Only `<mark>` and `</mark>` are tags; everything else is text, including other
 * tags.
 */
export function snippetParts(snippet: string): SnippetPart[] {
  const parts: SnippetPart[] = []
  let marked = false
  for (const piece of snippet.split(/(<\/?mark>)/)) {
    if (piece === '<mark>') marked = true
    else if (piece === '</mark>') marked = false
    else if (piece !== '') parts.push({ text: piece, marked })
  }
  return parts
}

/** Returns a snippet without its marks. */
export const snippetText = (snippet: string): string => snippet.replaceAll(/<\/?mark>/g, '')

/** Returns the words of a prompt; without any, it is a picture or a document. */
export const promptText = (content: string): string => snippetText(content).trim() || 'An image or a file'

/** Returns a snippet without its marks, from the sentence or line with the first one. */
export function fromMark(snippet: string): string {
  const before = snippet.slice(0, Math.max(0, snippet.indexOf('<mark>')))
  const breaks = [...before.matchAll(/\n|[.!?]\s+(?=\S|$)/g)]
  const last = breaks.at(-1)
  return snippetText(last === undefined ? snippet : snippet.slice(last.index + last[0].length))
}

/** Returns whether the text of a hit is Markdown of a model. */
export const isMarkdownHit = ({ match_type: type }: Pick<Hit, 'match_type'>): boolean =>
  type !== 'user_prompt' && type !== 'tool' && type !== 'memory'

/** Returns the snippet of a hit without empty lines and, if it is Markdown, without its signs. */
export function excerptOf(hit: Pick<Hit, 'content' | 'match_type'>): string {
  const text = hit.content.replaceAll(/\n\s*\n/g, '\n')
  return isMarkdownHit(hit) ? withoutSigns(text) : text
}

/** Returns a part of a Markdown text without the signs of headings, tables, fences and around words: it may begin within one. */
export const withoutSigns = (text: string): string =>
  withoutTables(text)
    .replaceAll(/^#{1,6} +/gm, '')
    .replaceAll(/^ *(?:`{3,}|~{3,})[^`\n]*\n/gm, '')
    .replaceAll(/\*\*(?=[^\s*])([^*\n]+?)(?<=\S)\*\*/g, '$1')
    .replaceAll(/`([^`\n]+)`/g, '$1')

/** Whether a line is the one below the heads of a table. */
const isRule = (line: string): boolean => /^[|:\s-]+$/.test(line) && line.includes('|') && line.includes('--')

/** Writes each row of a table as its cells with a dot between them. */
function withoutTables(text: string): string {
  if (!text.includes('|')) return text
  const lines = text.split('\n')
  const bare = lines.map((line) => snippetText(line).replaceAll(/^…|…$/g, '').trim())
  const isRow = bare.map((line) => isRule(line) || /^\|.+(?<!\\)\|$/.test(line))
  // A row may have no bar at its ends, or be cut there: then its neighbour tells.
  for (const step of [1, -1])
    for (let at = step === 1 ? 1 : lines.length - 2; at >= 0 && at < lines.length; at += step)
      isRow[at] ||= isRow[at - step] === true && BAR.test(bare[at] ?? '')
  return lines
    .map((line, at) => (isRow[at] === true ? cellsOf(line) : line))
    .filter((_, at) => !isRule(bare[at] ?? ''))
    .join('\n')
}
