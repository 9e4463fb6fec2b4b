import type { Place, Rule, Verdict } from '../rule.ts'
import { isDrawn, isPassword } from './nearby.ts'
import { isPlaceholder, isReference, isTemplate } from './placeholder.ts'
import { mixesDigits } from './strength.ts'

/** Text read for one list. */
const LONGEST = 4000
/** What begins a list; most of these words are names of numbers and the like. */
const OPENING = /^["']?[ \t]*(?:[:=]>?[ \t]*\{?[ \t]*(?:[#\r\n]|$)|$)/
/** Items in YAML, with the fields of each, and comments. */
const ITEMS =
  /^["']?[ \t]*(?::|[:=]>?[ \t]*\{)[ \t]*(?:#[^\n]*)?\r?\n((?:(?:[ \t]*\d+→)?(?:[ \t]*- [^\n]*|[ \t]{2,}(?:["']?[\w.-]{1,40}["']?[ \t]*[:=](?:[ \t>][^\n]*)?|#[^\n]*))(?:\n|$)){1,100})/
const ITEM =
  /(?<=^|\n)(?:[ \t]*\d+→)?[ \t]*(?:(?:- )?[ \t]*(?:((?:secret_?)?value|content|data)|["']?[\w.-]{1,40}["']?)[ \t]*[:=]>?[ \t]+|- )(["']?)([^\s"':][^\s"']*)(?=\2,?[ \t]*(?:#[^\n]*)?\r?(?:\n|$))/gi

/** Items in brackets, of a program or JSON, also with names. */
const BRACKETED =
  /^\\*["']?[ \t]*[:=]>?[ \t]*[[{]((?:\s|\\+n|[,:]|[\w.-]{1,40}[ \t]?(?:=>|[:=])|\\*["'][^"'\\\n]{1,200}\\*["']){1,4000})(?=[\]}])/
const OPEN = /^\\*["']?[ \t]*[:=]>?[ \t]*[[{][^\]}]*$/

/** Matches what a list of secrets holds, under names that say nothing: `secrets:`, `- name: X`, `value: …`, `["…"]`. */
export const listRule: Rule = {
  name: 'secret-value',
  anchors: ['secrets', 'credentials', 'passwords', 'tokens', 'Secrets', 'piKeys', 'pi_keys'],
  isKeyFormat: false,
  match(place: Place): Verdict {
    const { text, final, at, after } = place
    const ahead = text.slice(after, after + LONGEST)
    if (!final && ahead.length < LONGEST && OPEN.test(ahead)) return 'more'
    const [whole = '', inner = ''] = BRACKETED.exec(ahead) ?? []
    if (whole !== '') {
      const isSure = text.startsWith('passwords', at)
      const found = [...inner.matchAll(/[^\s"'\\,]{8,}/g)].filter(
        ({ 0: it }) => isSecret(it, false) || (isSure && isPassword(it)),
      )
      return foundIn(found, after + whole.length - inner.length, after)
    }
    if (!OPENING.test(ahead) || !/(?:^|[\n→])[ \t]*["']?[\w.-]{0,30}$/.test(place.behind(at, 80))) return after
    const [all = '', items = ''] = ITEMS.exec(ahead) ?? []
    // The first line that is not of the list must be known.
    if (!final && ahead.length < LONGEST && !/\n[^\n]*\n/.test(`${all === '' ? '' : '\n'}${ahead.slice(all.length)}`))
      return 'more'
    const found = [...items.matchAll(ITEM)].filter(({ 1: field, 3: value = '' }) =>
      isSecret(value, field !== undefined),
    )
    return foundIn(found, after + all.length - items.length, after)
  },
}

/** The last group of each hit, or all of it. */
function foundIn(hits: readonly RegExpExecArray[], from: number, after: number): Verdict {
  const [first, ...also] = hits.map(({ 0: whole, 3: value = whole, index }) => {
    const end = from + index + whole.length
    return { start: end - value.length, end }
  })
  return first === undefined ? after : { ...first, also }
}

const isSecret = (value: string, isField: boolean): boolean =>
  !/\[redacted:/.test(value) &&
  !isPlaceholder(value) &&
  !isReference(value) &&
  !isTemplate(value) &&
  (isDrawn(value) || (isField && value.length > 7 && (isPassword(value) || (value.length > 15 && mixesDigits(value)))))
