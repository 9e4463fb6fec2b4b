import { base64, charClass, quotes, slug, spaces, wordUnderscore } from './char-class.ts'
import { followRuns, LONGEST_RUN, NOWHERE, type Place, type Rule, type Verdict } from './rule.ts'

const token = charClass('A-Za-z0-9._~+/=-')
// No brackets: a call, a template or one of our marks is not a value.
const value = charClass('!#%&*+./0-9:=?@A-Z^_a-z~-')
const sign = charClass('=:')
const equals = charClass('=')
const colon = charClass(':')
const at = charClass('@')
const escapedQuotes = charClass('\\"\'')
const urlUser = charClass("!$&*+,.0-9;=A-Z_a-z%~'-")
const urlPassword = charClass("!#$&()*+,.0-9:;=?A-Z^_a-z%~'|-")

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
    const decoded = Buffer.from(place.text.slice(place.after, end), 'base64').toString('latin1')
    return /^[\x20-\x7e\x80-\xff]{0,300}:[\x20-\x7e\x80-\xff]+$/.test(decoded) ? { start: place.after, end } : end
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
    if (/^\$|^[*x]+$/.test(place.text.slice(start, end))) return end
    const key = place.isKey(start, end)
    if (key === 'more') return 'more'
    return key ? start : { start, end }
  },
}

/**
 * Matches values whose name in capitals says that they are secret: `SECRET_KEY=…`, `"API_TOKEN": "…"`. Ignores code: a call,
 * a member expression, a template, an address.
 */
const assignmentRule: Rule = {
  name: 'secret-value',
  anchors: [
    'SECRET TOKEN PASSWORD PASSWD PASSPHRASE API_KEY APIKEY ACCESS_KEY PRIVATE_KEY ENCRYPTION_KEY CREDENTIAL',
    'x-api-key X-Api-Key X-API-Key X-API-KEY',
  ]
    .join(' ')
    .split(' '),
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [wordUnderscore, 0, 60],
      [escapedQuotes, 0, 2],
      [spaces, 0, 3],
      [sign, 1, 1],
      [spaces, 0, 3],
      [escapedQuotes, 0, 2],
      [value, 8, 512],
    ])
    if (typeof ends !== 'object') return ends
    const [, , beforeSign = 0, afterSign = 0, beforeQuote = 0, start = 0, end = 0] = ends
    const { text } = place
    if (end === text.length && !place.final) return 'more'
    const quoted = start > beforeQuote
    const next = text[end] ?? ''
    const shell = text[beforeSign] === '=' && afterSign === start
    const header = text[place.at] === 'x' || text[place.at] === 'X'
    if (quoted ? !quotes.has(next.charCodeAt(0)) && next !== '\\' : !shell && !header) return end
    if ('([{$<'.includes(next) && next !== '') return end
    if (
      /^(?:=|~|https?:|\.{0,2}\/|process\.|os\.|import\.|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$)/.test(text.slice(start, end))
    )
      return end
    return secretValue(place, start, end)
  },
}

/** Matches AWS secret keys and session tokens, which have no prefix, by their name. */
const awsSecretRule: Rule = {
  name: 'aws-secret-key',
  anchors: [
    'aws_secret_access_key',
    'aws_session_token',
    'secretAccessKey',
    'SecretAccessKey',
    'sessionToken',
    'SessionToken',
  ],
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [escapedQuotes, 0, 2],
      [spaces, 0, 3],
      [sign, 1, 1],
      [spaces, 0, 3],
      [escapedQuotes, 0, 2],
      [base64, 30, LONGEST_RUN],
    ])
    if (typeof ends !== 'object') return ends
    return secretValue(place, ends.at(-2) ?? 0, ends.at(-1) ?? 0)
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

export const VALUE_RULES: readonly Rule[] = [
  privateTagRule,
  bearerRule,
  basicRule,
  urlPasswordRule,
  assignmentRule,
  awsSecretRule,
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
