/** A longer text is cut on the page. The embedded data has all of it. */
export const MAX_SHOWN = 50_000

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for elements and quoted attributes, without characters that a page cannot contain. */
export function escaped(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
      .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  )
}

/** Returns the beginning of a long text and a note for the rest. */
export function shown(text: string): { readonly text: string; readonly note: string } {
  return text.length <= MAX_SHOWN
    ? { text, note: '' }
    : {
        text: text.slice(0, MAX_SHOWN),
        note: `<p class="cut">cut here: ${text.length - MAX_SHOWN} more characters</p>`,
      }
}

/** Formats text without markup. */
export function preformatted(whole: string): string {
  const { text, note } = shown(whole)
  return `<pre>${escaped(text)}</pre>${note}`
}

/** Formats light Markdown: code blocks, headings, lists, code and bold. Links stay text, so nothing can be followed. */
export function lightMarkdown(whole: string): string {
  const { text, note } = shown(whole)
  const parts = text.split(/^```[^\n]*$/m)
  // Odd parts are between two fences.
  const html = parts.map((part, at) => (at % 2 === 1 ? preformatted(part.replace(/^\n/, '')) : paragraphs(part)))
  return `${html.join('')}${note}`
}

function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const trimmed = paragraph.trimEnd().replace(/^\n+/, '')
      if (trimmed === '') return []
      const heading = /^#{1,6} ([^\n]*)$/.exec(trimmed)
      return heading?.[1] === undefined ? [`<p dir="auto">${inline(trimmed)}</p>`] : [`<h4>${inline(heading[1])}</h4>`]
    })
    .join('')
}

function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`\n]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
}
