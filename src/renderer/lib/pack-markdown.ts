/** Returns the text of a pack as a Markdown document. Quoted lines stay as they are. */
export function packAsMarkdown(text: string, title: string): string {
  const name = title.trim()
  const lines = text.split('\n')
  const rest = name === '' ? lines : lines.slice(1)
  const parts: string[] = name === '' ? [] : [`# ${name}`]
  let wasQuote = false
  for (const line of rest) {
    const isQuote = line.startsWith('>')
    // A quotation ends at a blank line; without one, Markdown would join the following text to it.
    if (!isQuote || !wasQuote) parts.push('')
    parts.push(isQuote ? line : asMarkdown(line))
    wasQuote = isQuote
  }
  return `${parts
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

function asMarkdown(line: string): string {
  const heading = line.startsWith('Session ') ? `## ${line}` : line
  return heading.replace(/^\[(.*)\]$/, '**$1**')
}

/** Returns a file name for a pack. */
export const packFileName = (title: string): string => `${fileSlug(title) || 'pack'}.md`

/** Returns a title as a part of a file's name: its letters and numbers, in small letters. */
export function fileSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
}
