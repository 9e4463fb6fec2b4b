/** A part of a snippet: plain text, or text that matched. */
export interface SnippetPart {
  readonly text: string
  readonly marked: boolean
}

/**
 * A hit's snippet as parts to show as text. Only `<mark>` and `</mark>` have a meaning; everything else, other tags
 * included, is text.
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

/** A snippet without its marks, for copying. */
export function snippetText(snippet: string): string {
  return snippet.replaceAll(/<\/?mark>/g, '')
}
