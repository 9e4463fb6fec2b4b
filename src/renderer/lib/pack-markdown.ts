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
export function packFileName(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${slug === '' ? 'pack' : slug}.md`
}
