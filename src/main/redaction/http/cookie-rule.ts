import { isPlaceholder, isTemplate } from '../named/placeholder.ts'
import type { Rule } from '../rule.ts'

const LONGEST = 4096
const HEAD =
  /^(?:\\{0,31}["'`]\]?[ \t]{0,4}(?:,\s{0,40}\\{0,31}["']value\\{0,31}["'][ \t]{0,4}:|[:,=])|[ \t]{0,4}:|[ \t]{0,4}=(?=[ \t]{0,4}\\{0,31}["'`]))[ \t]{0,4}(?:\[\s{0,8})?(?:\\{0,31}["'`])?/
/** Before `-b`, and after `--cookie`. */
const CURL = /(?:\b|\\n)curl\s(?:[^\n|;]|\\\n){0,380}(?<=\s)$/
const OPTION = /^[ \t=]{1,4}\\{0,31}["']/
const PAIR = /^[\w!#$%&'*+.^`|~-]{1,80}=[^;\s"'`\\,<>(){}]*/
const LIST =
  /^[\w!#$%&'*+.^`|~-]{1,80}=[^;\s"'`\\<>(){}]*(?:;[ \t]{0,2}(?!(?:path|domain|expires|max-age|samesite)=)[\w!#$%&'*+.^`|~-]{1,80}=[^;\s"'`\\<>(){}]*)*/i

/** Matches the cookies of a `Cookie` header, and the value of a `Set-Cookie` header; its attributes stay. */
export const cookieRule: Rule = {
  name: 'cookie',
  anchors: ['ookie', 'OOKIE', '-b "', "-b '", '-b \\"'],
  isKeyFormat: false,
  match(place) {
    const { text, final, after } = place
    const isOption = text[place.at] === '-'
    const before = place.behind(place.at, isOption ? 400 : 8)
    if (!(isOption ? CURL : /(?:^|[^\w]|\\n)c$/i).test(before)) return after
    const ahead = text.slice(after, after + LONGEST)
    const head = (isOption ? /^/ : before.endsWith('--c') ? OPTION : HEAD).exec(ahead)
    const isOpen = !final && ahead.length < LONGEST && !/[\r\n]/.test(ahead)
    if (head === null) return isOpen && /^[\s\\"'`\]:=,]*$/.test(ahead) ? 'more' : after
    if (isOpen) return 'more'
    const start = after + head[0].length
    const cookies = ahead.slice(head[0].length)
    const found = (/set-c$/i.test(before) ? PAIR : LIST).exec(cookies)?.[0]
    if (found === undefined) return start
    if (/\[redacted:|<private>|\$\{/i.test(found + cookies.slice(found.length, found.length + 12))) return start
    const values = [...found.matchAll(/([^=;\s]+)=([^;]*)/g)].flatMap(
      ({ index, 0: all, 1: name = '', 2: value = '' }) => {
        const end = start + index + all.length
        return isHarmless(value) || isVisitor(name, value) ? [] : [{ start: end - value.length, end }]
      },
    )
    const [first, ...also] = values
    return first === undefined ? start : { ...first, also, idleUntil: start + found.length }
  },
}

/** True for the number of a visitor in statistics. */
const isVisitor = (name: string, value: string): boolean =>
  /^_(?:g|fbp$)/.test(name) && /^G[AS]\d\.\d\.[\w.$]+$|^fb\.\d(?:\.\d+)+$/i.test(value)

/** True for a word, a number, a language and a placeholder. */
const isHarmless = (value: string): boolean =>
  isPlaceholder(value) ||
  isTemplate(value) ||
  value.length < 3 ||
  /^(?:value|bar|baz|foo)\d*$|^[a-z]{3,8}$|^[a-z]{2}[-_][a-z]{2}$|^\d{1,4}$/i.test(value)
