import { charClass } from './char-class.ts'
import type { MarkValue } from './env-values.ts'

const local = charClass('A-Za-z0-9._%+-')
const domain = charClass('A-Za-z0-9.-')
const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253
/** Maximum length of an address, with the escape before it. */
const LONGEST_EMAIL = LONGEST_LOCAL + 1 + LONGEST_DOMAIN + 10

/** Replaces e-mail addresses, reading each outward from its `@`. */
export const maskEmails = (text: string, mark: MarkValue): string => maskUpTo(text, text.length, mark).out

/** Does so up to a position, or to the end of a later address that is known. Returns where the rest begins. */
export function maskUpTo(text: string, upTo: number, mark: MarkValue): { readonly out: string; readonly end: number } {
  const known = Math.max(upTo, text.length - LONGEST_DOMAIN - 1)
  let out = ''
  let done = 0
  for (let at = text.indexOf('@'); at >= 0 && at < known; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > done && at - start < LONGEST_LOCAL && local.has(text.charCodeAt(start - 1))) start -= 1
    // The end of an escape (`\n`, `\u002d`) is not part of the name.
    if (text[start - 1] === '\\')
      start = Math.min(at, start + (/^u[0-9A-Fa-f]{4}/.test(text.slice(start, start + 5)) ? 5 : 1))
    let end = at + 1
    while (end < text.length && end - at <= LONGEST_DOMAIN && domain.has(text.charCodeAt(end))) end += 1
    const host = /^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}(?![\w-])/.exec(text.slice(at + 1, end))?.[0]
    if (start === at || host === undefined) continue
    end = at + 1 + host.length
    out += text.slice(done, start) + mark(text.slice(start, end))
    done = end
  }
  const last = Math.max(done, upTo)
  return { out: out + text.slice(done, last), end: last }
}

/** Returns where an unfinished address may start at the end of a text; the text before it may be shown. */
export function undecidedEmail(text: string): number {
  const earliest = Math.max(0, text.length - LONGEST_EMAIL)
  let at = text.length
  while (at > earliest && ('@\\'.includes(text[at - 1] ?? '') || local.has(text.charCodeAt(at - 1)))) at -= 1
  return at
}
