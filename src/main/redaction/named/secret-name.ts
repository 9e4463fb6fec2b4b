import words from '../../../../resources/words/secret-names.json' with { type: 'json' }
import { wordSet } from './word-set.ts'

/**
 * Strength of a name as evidence. 'password' and 'secret': any value; 'token': any value unless it may be a name in a
 * tokenizer; 'weak': only a value that looks random; 'dsn': an address with credentials.
 */
export type NameKind = 'password' | 'secret' | 'token' | 'weak' | 'dsn'

const PASSWORD_WORDS = wordSet(words.password)
/** Names that are also everyday words of a language, or a person's. */
const EVERYDAY = wordSet([words.a_word_when_alone])
/** The end of a word that is glued to the one before it: `adminkennwort`. */
const PASSWORD = new RegExp(
  `(?:${[...PASSWORD_WORDS].filter((word) => word.length > 5 && !EVERYDAY.has(word)).join('|')}|pwd|pswd)$`,
)
/** A key, a secret and a token in other languages. */
const FOREIGN_KEYS = wordSet(words.key_in_other_languages)
const FOREIGN_SECRETS = wordSet(words.secret_in_other_languages)
/** Words between those of one thing: `mot_de_passe`, `chave-de-api`. */
const ARTICLES = /^(?:de|d|da|do|di|del|la|le|el)$/
const SECRET =
  /(?:^(?:client|app|consumer|jwt|shared|user|api|oauth|auth|session|cookie|webhook|hmac|site|my|the|db|bot|master|admin)?secret|apikey|privkey|authtoken|accesstoken|bearertoken|secretkey|privatekey|accesskey|signingkey|encryptionkey|authkey|masterkey|idtoken|identitytoken|registrytoken|refreshtoken|sessiontoken|securitytoken|presharedkey)$/
/** Words before `pass` that make it a password rather than a result or a stage. */
const PASS_QUALIFIERS = wordSet(words.before_pass)
/** Words before `key` that make it a secret. */
const KEY_QUALIFIERS = wordSet(words.before_key)
/** Words before `key` that make it one of a map, a table or a keyboard. After any other it may be a secret. */
const PLAIN_KEYS = wordSet(words.before_plain_key)
/** Words before `token` that make it a credential rather than a tokenizer's. */
const TOKEN_QUALIFIERS = wordSet(words.before_token)
/** Words before `seed` and `salt` that make it a secret. */
const SEED_QUALIFIERS = wordSet(words.before_seed)
/** Words before `pat` that make it a personal access token. */
const PAT_QUALIFIERS = wordSet(words.before_pat)
/** Words after a name that do not change its meaning: `PASSWORD_PROD`, `secret_key_base`, `token2`. */
const SUFFIXES = wordSet(words.after)
/** Words after a name that make it something else: `token_type`, `PASSWORD_FILE`, `keyId`. Any unknown word is weak. */
const ELSE = wordSet(words.after_something_else)
/** Words before `token` that make it a place in a list. */
const PAGES = wordSet(words.before_token_of_page)
/** Words before a name that make it a question or a deed: `has_password`, `forgotPassword`. */
const DEEDS = wordSet(words.before_deed)
/** Words before `token` that a tokenizer, a parser or a design system puts there. */
const GRAMMAR = wordSet(words.before_token_of_grammar)

/** Words after a password that make it what a program keeps of it. */
const HASHES = /^(?:hash|hashed|digest|salt|hashbytes)$/

const cache = new Map<string, NameKind | null>()
const MAX_CACHED = 5_000

/** Returns the strength of a name as evidence, or null for none. Accepts any case and any separators. */
export function nameKind(name: string): NameKind | null {
  const known = cache.get(name)
  if (known !== undefined) return known
  // A salt in lower case is most often kept beside its hash.
  const kind = /^(?:SALT|pepper|PEPPER)$/.test(name) ? 'weak' : classify(splitName(name))
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(name, kind)
  return kind
}

/** Splits a name into its words in lower case: `dbPassword`, `DB_PASSWORD`, `db.password`. */
export function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([A-Za-z]{3})(\d+)(?![A-Za-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

function classify(parts: readonly string[]): NameKind | null {
  // The name of a service.
  if (parts[0] === 'auth' && parts[1] === '0' && parts.length < 3) return null
  if ((parts[0] === 'x' || parts[0] === 'dd') && parts.length > 2 && /^(?:key|token|secret)$/.test(parts.at(-1) ?? ''))
    return 'secret'
  if (HASHES.test(parts.at(-1) ?? '') && isPasswordWord(parts.at(-2) ?? '')) return 'weak'
  let end = parts.length
  let isSure = true
  while (end > 0) {
    const kind = kindOf(parts, end)
    if (kind !== null) return isSure ? kind : 'weak'
    const last = parts[end - 1] ?? ''
    if (ELSE.has(last)) return null
    if (!SUFFIXES.has(last) && !/^\d+$/.test(last)) isSure = false
    end -= 1
    if (parts.length - end > 3) return null
  }
  return null
}

/** Reads the words up to `end`, the last of which must describe the value. */
function kindOf(parts: readonly string[], end: number): NameKind | null {
  const last = parts[end - 1] ?? ''
  const earlier = parts.slice(0, end - 1).filter((word) => !/^\d+$/.test(word) && !ARTICLES.test(word))
  const before = earlier.at(-1) ?? ''
  const isDeed = earlier.some((word) => DEEDS.has(word))
  if ((EVERYDAY.has(last) || FOREIGN_SECRETS.has(last)) && !PASS_QUALIFIERS.has(before) && !KEY_QUALIFIERS.has(before))
    return 'weak'
  if (isPasswordWord(last) || (before === 'pass' && (last === 'phrase' || last === 'word' || last === 'code')))
    return isDeed ? 'weak' : 'password'
  if (last === 'pass' || (last === 'passe' && before === 'mot'))
    return before === '' || before === 'mot' || qualifies(PASS_QUALIFIERS, before) ? 'password' : 'weak'
  if (FOREIGN_SECRETS.has(last)) return 'secret'
  if (last === 'api' && FOREIGN_KEYS.has(before)) return 'secret'
  if (FOREIGN_KEYS.has(last) && parts.length > 1)
    return KEY_QUALIFIERS.has(before) || FOREIGN_SECRETS.has(before) ? 'secret' : 'weak'
  if (SECRET.test(last) || last === 'credential' || last === 'cred') return isDeed ? 'weak' : 'secret'
  if (last === 'salt' || last === 'seed' || last === 'pepper') return SEED_QUALIFIERS.has(before) ? 'secret' : null
  const [, head = '', tail = ''] = /^(\w{2,12}?)(token|key|pass)$/.exec(last) ?? []
  if (tail === 'pass' && qualifies(PASS_QUALIFIERS, head)) return 'password'
  if (tail !== 'pass' && (tail === 'key' ? KEY_QUALIFIERS : TOKEN_QUALIFIERS).has(head)) return 'secret'
  if (last === 'key') return keyKind(before, isDeed)
  if (last === 'material' && before === 'key') return 'secret'
  if (last === 'keys' && KEY_QUALIFIERS.has(before)) return 'weak'
  if (last === 'token' && PAGES.has(before)) return null
  if (last === 'token')
    return (isDeed && before !== 'reset') || GRAMMAR.has(before)
      ? 'weak'
      : TOKEN_QUALIFIERS.has(before)
        ? 'secret'
        : 'token'
  if (last === 'dsn') return 'dsn'
  if (last === 'pat' && end > 1) return PAT_QUALIFIERS.has(before) ? 'secret' : 'weak'
  return /^(?:secrets|passwords|credentials|creds|apikeys|auth)$/.test(last) ? 'weak' : null
}

function keyKind(before: string, isDeed: boolean): NameKind | null {
  if (!isDeed && KEY_QUALIFIERS.has(before)) return 'secret'
  return before.length < 2 || PLAIN_KEYS.has(before) ? null : 'weak'
}

/** True for a word that makes a key secret: `API key`. */
export const qualifiesKey = (word: string): boolean => KEY_QUALIFIERS.has(word.toLowerCase())

const isPasswordWord = (word: string) => PASSWORD.test(word) || PASSWORD_WORDS.has(word)

/** True for a word of a set, or two of them that are glued: `keystore`. */
const qualifies = (set: ReadonlySet<string>, word: string): boolean =>
  set.has(word) || Array.from(word, (_, at) => at).some((at) => set.has(word.slice(0, at)) && set.has(word.slice(at)))
