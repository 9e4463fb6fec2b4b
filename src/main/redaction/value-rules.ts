import { base64, charClass, slug, spaces } from './char-class.ts'
import { COMMAND_RULES } from './command-rule.ts'
import { HANDED_RULES } from './handed-rule.ts'
import { authorizationRule } from './http/authorization-rule.ts'
import { decodesToPair } from './http/base64-pair.ts'
import { cookieRule } from './http/cookie-rule.ts'
import { queryRule } from './http/query-rule.ts'
import { kubernetesSecretRule } from './kubernetes-rule.ts'
import { listRule } from './named/list-rule.ts'
import { isPlaceholder } from './named/placeholder.ts'
import { namedValueRule } from './named/named-value-rule.ts'
import { tableRule } from './named/table-rule.ts'
import { looksRandom, mixesDigits } from './named/strength.ts'
import { goAddressRule } from './named/values-before.ts'
import { PRIVATE_TAG_RULES } from './private-tag-rules.ts'
import { printedRule } from './printed-rule.ts'
import { followRuns, LONGEST_RUN, unlessKey, type Place, type Rule } from './rule.ts'

const token = charClass('A-Za-z0-9._~+/=-')
const at = charClass('@')

const bearerRule: Rule = {
  name: 'bearer-token',
  anchors: ['Bearer ', 'bearer ', 'BEARER '],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [spaces, 0, 3],
      [token, 16, LONGEST_RUN],
    ])
    if (typeof ends !== 'object') return ends
    const [start = 0, end = 0] = ends
    const written = place.text.slice(start, end)
    // A word, and another option.
    return written.startsWith('-') || !mixesDigits(written) ? end : unlessKey(place, start, end)
  },
}

/** Distinguishes Basic credentials from the word "basic" by decoding them: a name, a colon and a password. */
const basicRule: Rule = {
  name: 'basic-credentials',
  anchors: ['Basic ', 'basic ', 'BASIC '],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [[base64, 6, 1024]])
    if (typeof ends !== 'object') return ends
    const end = ends[0] ?? 0
    return decodesToPair(place.text.slice(place.after, end)) ? { start: place.after, end } : end
  },
}

/** A user and a password, which may have an `@`: the last one before the path ends them. */
const USER_INFO = /^((?:[\w.-]{1,30}\\{1,2}(?=\w))?[^\s:/?#"'`<>\\|()[\]{}]{0,128}):([^\s/"'`<>\\]{2,256})@(?=[\w[${])/
/** Long enough for both. */
const LONGEST_USER_INFO = 400

/** An address in which signs written as `%2F` count as letters. */
const unescaped = ({ after, isEscaped }: Place, ahead: string) =>
  ahead.replaceAll(/[\s/?#"'`<>\\|()[\]{}]/g, (sign, offset: number) => (isEscaped(after + offset) ? '_' : sign))

const urlPasswordRule: Rule = {
  name: 'url-password',
  anchors: ['://', String.raw`:\/\/`],
  isKeyFormat: false,
  match(place) {
    const { text, after, final } = place
    const ahead = text.slice(after, after + LONGEST_USER_INFO)
    if (!final && ahead.length < LONGEST_USER_INFO && /^[^\s/"'`<>\\]*$/.test(unescaped(place, ahead))) return 'more'
    const found = USER_INFO.exec(ahead) ?? (ahead.includes('@') ? USER_INFO.exec(unescaped(place, ahead)) : null)
    const user = found?.[1]
    if (user === undefined) return after
    const start = after + user.length + 1
    const end = start + (found?.[2] ?? '').length
    const written = text.slice(start, end)
    // `postgres:postgres@localhost`: what every image begins with.
    if (written === user && /^@(?:localhost|127\.0\.0\.1|\[::1\])(?![\w.-])/.test(text.slice(end, end + 12))) return end
    // `http://host:3000?email=a@b`: a port.
    if (isPlaceholder(written) || /^\$|^\W+$|[()]|^\d{2,5}[?#,;&]|\[redacted:/.test(written)) return end
    return unlessKey(place, start, end)
  },
}

/** Matches a token in a URL in place of the user: `https://…@host`. */
const urlTokenRule: Rule = {
  name: 'url-token',
  anchors: ['://'],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [slug, 16, 256],
      [at, 1, 1],
    ])
    if (typeof ends !== 'object') return ends
    const [end = 0] = ends
    const written = place.text.slice(place.after, end)
    if (!mixesDigits(written) || !looksRandom(written)) return end
    return unlessKey(place, place.after, end)
  },
}

/** Rules for which lines matter. */
export const LINE_RULES: readonly Rule[] = [cookieRule, tableRule, listRule, ...HANDED_RULES, printedRule]

export const VALUE_RULES: readonly Rule[] = [
  ...PRIVATE_TAG_RULES,
  bearerRule,
  basicRule,
  urlPasswordRule,
  urlTokenRule,
  authorizationRule,
  cookieRule,
  queryRule,
  namedValueRule,
  goAddressRule,
  tableRule,
  listRule,
  ...COMMAND_RULES,
  ...HANDED_RULES,
  printedRule,
  kubernetesSecretRule,
]

/** Replaces the home folder by `~`, since its path names its owner. */
export function homeFolderRule(folder: string): Rule {
  return {
    name: 'home-folder',
    anchors: [folder, folder.replaceAll('\\', '\\\\')],
    isKeyFormat: false,
    match(place) {
      const { text, at: start, after, final } = place
      if (after === text.length && !final) return 'more'
      const found = { start, end: after, replacement: '~' }
      if (after === text.length || !slug.has(text.charCodeAt(after))) return found
      // Part of a longer folder name, unless a key follows directly, which will become a mark.
      const key = place.isKey(after, after)
      return key === true ? found : key || 0
    },
  }
}
