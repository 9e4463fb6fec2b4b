import { base64, charClass, slug, spaces } from './char-class.ts'
import { COMMAND_RULES } from './command-rule.ts'
import { HANDED_RULES } from './handed-rule.ts'
import { authorizationRule } from './http/authorization-rule.ts'
import { decodesToPair } from './http/base64-pair.ts'
import { cookieRule } from './http/cookie-rule.ts'
import { queryRule } from './http/query-rule.ts'
import { kubernetesSecretRule } from './kubernetes-rule.ts'
import { isPlaceholder } from './named/placeholder.ts'
import { namedValueRule } from './named/named-value-rule.ts'
import { looksRandom, mixesDigits } from './named/strength.ts'
import { followRuns, LONGEST_RUN, NOWHERE, type Place, type Rule, type Verdict } from './rule.ts'

const token = charClass('A-Za-z0-9._~+/=-')
const equals = charClass('=')
const colon = charClass(':')
const at = charClass('@')
// A single quote may be part of either, but nearly always ends the string that the address is in.
const urlUser = charClass('!$&*+,.0-9;=A-Z_a-z%~-')
const urlPassword = charClass('!#$&()*+,.0-9:;=?A-Z^_a-z%~|-')

/** Removes text marked as `<private>`, including the tags. */
export const privateTagRule: Rule = {
  name: 'private',
  anchors: ['<private>', '<PRIVATE>', '<Private>'],
  isKeyFormat: false,
  match({ text, at: start, after, final }) {
    const close = text.slice(start, after).replace('<', '</')
    const end = text.indexOf(close, after)
    if (end < 0) return final ? NOWHERE : 'more'
    return { start, end: end + close.length }
  },
}

/** Accepts a value with at least a letter and a digit, unless a key format matches as far: then that rule names it. */
function secretValue(place: Place, start: number, end: number): Verdict {
  const text = place.text.slice(start, end)
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return end
  const key = place.isKey(start, end)
  if (key === 'more') return 'more'
  return key ? start : { start, end }
}

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
    return secretValue(place, ends[0] ?? 0, ends[1] ?? 0)
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

const urlPasswordRule: Rule = {
  name: 'url-password',
  anchors: ['://', String.raw`:\/\/`],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [urlUser, 0, 128],
      [colon, 1, 1],
      [urlPassword, 2, 256],
      [at, 1, 1],
    ])
    if (typeof ends !== 'object') return ends
    const [, start = 0, end = 0] = ends
    const written = place.text.slice(start, end)
    // `http://host:3000?email=a@b`: a port.
    if (isPlaceholder(written) || /^\$|^\W+$|[()]|^\d{2,5}[?#,;&]/.test(written)) return end
    const key = place.isKey(start, end)
    if (key === 'more') return 'more'
    return key ? start : { start, end }
  },
}

/** Matches passwords in connection strings: `Password=…;`. */
const connectionRule: Rule = {
  name: 'connection-password',
  anchors: ['Password', 'Pwd'],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [equals, 1, 1],
      [urlPassword, 4, 200],
    ])
    if (typeof ends !== 'object') return ends
    const [start = 0, longest = 0] = ends
    const until = start + place.text.slice(start, longest).indexOf(';')
    // Requires a field before it and a semicolon after it: anything else is code.
    if (until < start + 4 || !/;\s*[\w ]{0,30}$/.test(place.text.slice(Math.max(0, place.at - 16), place.at)))
      return start
    return secretValue(place, start, until)
  },
}

/** Matches a token in the place of a URL's user: `https://…@host`. */
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
    const key = place.isKey(place.after, end)
    if (key === 'more') return 'more'
    return key ? place.after : { start: place.after, end }
  },
}

export const VALUE_RULES: readonly Rule[] = [
  privateTagRule,
  bearerRule,
  basicRule,
  urlPasswordRule,
  urlTokenRule,
  authorizationRule,
  cookieRule,
  queryRule,
  namedValueRule,
  ...COMMAND_RULES,
  ...HANDED_RULES,
  kubernetesSecretRule,
  connectionRule,
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
