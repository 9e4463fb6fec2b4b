/** A set of characters, as a table of codes. Characters beyond ASCII are excluded unless named. */
export interface CharClass {
  has(code: number): boolean
}

/** Parses a class written as inside the brackets of a regular expression: `a-z0-9_`. A literal `-` comes last. */
export function charClass(spec: string): CharClass {
  const table = new Uint8Array(128)
  const beyond = new Set<number>()
  for (let at = 0; at < spec.length; at += 1) {
    const first = spec.charCodeAt(at)
    const isRange = spec[at + 1] === '-' && at + 2 < spec.length
    const last = isRange ? spec.charCodeAt(at + 2) : first
    for (let code = first; code <= last; code += 1) {
      if (code < 128) table[code] = 1
      else beyond.add(code)
    }
    if (isRange) at += 2
  }
  return { has: (code) => (code < 128 ? table[code] === 1 : beyond.has(code)) }
}

export const digits = charClass('0-9')
export const hex = charClass('0-9a-f')
export const upper = charClass('A-Z0-9')
export const word = charClass('A-Za-z0-9')
export const wordUnderscore = charClass('A-Za-z0-9_')
export const slug = charClass('A-Za-z0-9_-')
export const dotted = charClass('A-Za-z0-9_.=-')
/** Includes the percent sign, since URLs escape +, / and =. */
export const base64 = charClass('A-Za-z0-9+/_=%-')
export const spaces = charClass(' \t')
export const quotes = charClass('"\'`')
