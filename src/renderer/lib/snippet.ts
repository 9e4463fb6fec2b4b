import type { Hit } from '../../shared/contract/recall.ts'

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
export function snippetText(snippet: string): string {
  return snippet.replaceAll(/<\/?mark>/g, '')
}

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

/** Returns a part of a Markdown text without the signs of headings and around words: it may begin within a fence or a list. */
export const withoutSigns = (text: string): string =>
  text
    .replaceAll(/^#{1,6} +/gm, '')
    .replaceAll(/\*\*(?=[^\s*])([^*\n]+?)(?<=\S)\*\*/g, '$1')
    .replaceAll(/`([^`\n]+)`/g, '$1')
