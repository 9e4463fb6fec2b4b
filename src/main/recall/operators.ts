/** Words after which `NOT` belongs to a sentence in capitals, or to SQL: `IS NOT NULL`, `IF NOT EXISTS`, `DO NOT`. */
const BEFORE =
  /\b(?:IS|ARE|WAS|WERE|IF|DO|DOES|DID|MUST|SHOULD|SHALL|MAY|WILL|CAN|COULD|WOULD|HAS|HAVE|WHERE|ADD|DEFAULT)\s*$/
const AFTER =
  /^NOT\s+(?:NULL|EXISTS|IN|LIKE|ILIKE|BETWEEN|VALID|DISTINCT|MATCHED|FOUND|SUPPORTED|IMPLEMENTED|DEFERRABLE|MATERIALIZED)\b/

/** Checks whether the `NOT` at a position excludes the next word. Pasted SQL and messages in capitals are text. */
export const excludesNext = (text: string, at: number): boolean =>
  text.startsWith('NOT', at) && !BEFORE.test(text.slice(0, at)) && !AFTER.test(text.slice(at, at + 80))

/** A beginning of words: `auth*`. A glob such as `*.ts*` or `src/a*` is text. */
const BEGUN = /^\(*\p{L}[\p{L}\p{N}]{2,}\*\)*$/u

/** Checks whether an item of a query is the beginning of words. */
export const isBegun = (item: string): boolean => BEGUN.test(item)

/** Returns the word of `-word`, which may be one that the hits should not contain; `-x` is an option of a command. */
export const minusWordIn = (item: string): string | undefined => /^-([\p{L}][\p{L}\p{N}]{2,})$/u.exec(item)?.[1]

/** Checks whether the item at a position is `OR` between others. */
export const isOrBetween = (text: string, at: number): boolean =>
  /^OR\s+\S/.test(text.slice(at, at + 80)) && /\S\s$/.test(text.slice(Math.max(0, at - 80), at))

/** Parentheses of several words beside `OR`, without those inside of which OR is between all words. */
const GROUP = /\(([^()]*)\)\s+OR\b|\bOR\s+\(([^()]*)\)/g

/** Checks whether parentheses make groups of words, which no search does: `(redis cache) OR (postgres pool)`. */
export const groupsWords = (text: string): boolean =>
  [...text.matchAll(GROUP)].some(([, before = '', after = '']) =>
    (before || after).split(/\s+OR\s+/).some((side) => /\S\s+\S/.test(side.replaceAll(/"[^"]*"/g, 'x'))),
  )
