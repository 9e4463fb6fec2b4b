import { firstCharacters } from '../../shared/cut-text.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { count } from './figures.ts'

/** A longer text is cut on the page. The embedded data has all of it. */
export const MAX_SHOWN = 50_000

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for elements and quoted attributes, and shows characters that a page cannot contain or that hide others. */
export function escaped(text: string): string {
  return (
    visibleText(text)
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
        text: firstCharacters(text, MAX_SHOWN),
        note: note(`cut here: ${count(text.length - MAX_SHOWN)} more characters`),
      }
}

/** Formats a remark of the page itself. */
export const note = (text: string): string => `<p class="cut">${escaped(text)}</p>`

/** Formats text without markup, such as code. */
export function preformatted(whole: string, name = ''): string {
  const { text, note: rest } = shown(whole)
  return `<pre${name === '' ? '' : ` class="${name}"`}>${escaped(text)}</pre>${rest}`
}

/** Formats text as its author wrote it, with its line breaks. */
export function plainText(whole: string): string {
  const { text, note: rest } = shown(whole)
  return text === '' ? '' : `<div class="plain" dir="auto">${escaped(text)}</div>${rest}`
}
