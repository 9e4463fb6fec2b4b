import type { Candidate } from './candidate.ts'
import { isInRow, namesVariable } from './code.ts'
import { isDrawn } from './nearby.ts'
import { isAtPrompt } from './spaced-notation.ts'
import { changesCase, changesClassOften, isDigest, isUuid, looksRandom } from './strength.ts'

const WORDS_AND_NUMBER = /^[A-Za-z\u00c0-\u024f]{4,}(?:[-_][A-Za-z]{3,})*[-_]?\d{2,6}[a-z]?[!?]?$/
/** `log in with user ada and password …` */
const AFTER_USER =
  /\b(?:user(?:name)?|log ?in|e-?mail|account|benutzer)\b[^\n]{1,60}(?:[ ,](?:and|with|und|mit|y|et)[ ](?:the[ ])?|, )$/i
/** Words with digits that are said of passwords and tokens. */
const SAID_OF =
  /argon2|pbkdf2|sha-?\d|md-?\d|base-?\d|utf-?\d|oauth-?\d|ipv\d|crypt|aes|rsa|ed25519|x\.?509|\d-?bit|http\d|k8s|ec2|\bs3\b|win32|v\d+\.\d/i

/** True for digits within words, twice: `b1s-m0rgen`, not `p2p-e2e`. */
export const isLeet = (value: string) =>
  /[a-z]\d[a-z].*[a-z]\d[a-z]/.test(value) && /[A-Za-z\d]{5}/.test(value.replaceAll(/\b\w{1,4}\b/g, ''))

/** True for words that a sign joins, and a number: `Heron-Castle51`. */
export const isPassphrase = (value: string) =>
  /^(?=.*[A-Z])(?:[A-Za-z]{3,}[-_.+*!]){1,5}[A-Za-z]{3,}[-_.]?\d{2,4}[!?]?$|^[A-Z][a-z]{4,}[_.#-]\d{2,4}$/.test(value)

/** True for letters and digits that no word, name or address in a sentence has. */
export function isTold(it: Candidate): boolean {
  const { value, kind, isMixed, words: share, name } = it
  if (isDrawn(value)) return true
  if (kind === 'password' && /^(?=.*[a-z])[A-Za-z]{2,20}[!#$%^&+~][A-Za-z]{2,20}[!?]?$/.test(value))
    return it.sign === 'is'
  if (
    !isMixed ||
    value.length < 6 ||
    (/^[\da-f]+$/.test(value) && /^ {2}\S/.test(it.rest)) ||
    /^[A-Za-z_]+=|^-|^\d{4}-\d\d-\d\d|:$/.test(value) ||
    SAID_OF.test(value) ||
    /^[^\s@]+@[\w.-]+\.\w+$|[/\\(){}[\]]/.test(value)
  )
    return false
  if (
    kind === 'password' &&
    (it.sign === 'is' || it.isQuoted || AFTER_USER.test(it.own)) &&
    (WORDS_AND_NUMBER.test(value) || (!/^pass$/i.test(name) && /^[A-Z][a-z]{4,}\d[!?]?$/.test(value)))
  )
    return true
  // A token that is a UUID, of which nothing else is said.
  if ((kind === 'secret' || kind === 'token') && it.sign === 'is' && isUuid(value)) return true
  if (kind !== 'password')
    return (
      value.length >= 16 &&
      looksRandom(value) &&
      (share < 0.6 || (it.sign === 'is' && /^(?=.*\d[a-z]+\d)[a-z\d]+$/.test(value))) &&
      !isDigest(value) &&
      !/^pass$/i.test(name)
    )
  if (
    (/^pass$/i.test(name) && !AFTER_USER.test(it.own)) ||
    /^[A-Za-z]?[a-z]*[-_]?\d{1,4}$/.test(value) ||
    /^[A-Z\d_-]+$/.test(value)
  )
    return false
  if (/^[a-z]+(?:[A-Z][a-z]+)+\d{0,2}$|^\d+[a-z-]+$/.test(value)) return false
  if (it.isQuoted && value.length >= 10 && /[_-]/.test(value)) return !namesVariable(it)
  return (
    /[!#$%^&*+=?~@]/.test(value) ||
    (value.length >= 24 && looksRandom(value) && !isDigest(value)) ||
    (/[a-z]/.test(value) && /[A-Z]/.test(value)) ||
    /^[a-z]{3,}\d+[a-z]{2,}\d*$/.test(value) ||
    isLeet(value)
  )
}

/** True for eight characters or more that are not only words, and no numbered name. */
export function isStrong({ value, isMixed, words: share }: Candidate): boolean {
  const isNumbered = /^\w+\d$/.test(value) && !(value.length >= 20 && changesClassOften(value))
  return value.length >= 8 && isMixed && share < 0.75 && (!isNumbered || isDrawn(value))
}

/** True for one word. */
export const isWord = ({ value }: Candidate) => /^[A-Za-z'’-]+[.,:;!?]?$/.test(value)

/** More words follow, or words precede its name and it begins a name: `the client secret: Lavender`. */
export function inSentence(it: Candidate): boolean {
  if (!isWord(it) || isInRow(it)) return false
  if (/^[,.:;]?\s+\(?(?:\d{1,4}\+?\s+)?[A-Za-z'"`]|^\s*\(/.test(it.rest)) return true
  return (
    it.sign === ':' && /\w[ \t]+$/.test(it.own) && (/^[A-Z]/.test(it.value) || (it.spaced && /^pass$/i.test(it.name)))
  )
}

/** After `--password `, a plain word counts at the end of a command or before its next argument. */
export function goesOn({ value, rest, own, name }: Candidate): boolean {
  if (/^-|[.:]$/.test(value) || (/^[A-Za-z]+$/.test(value) && /^\s*\[redacted:/.test(rest))) return true
  return (
    !/[\d!@#%^&*+]/.test(value) &&
    !(isAtPrompt(own) || /[a-z][_-][a-z]|[a-z][A-Z]/.test(name)) &&
    !/^\s*(?:$|-|\||&|;|>|\\|["'`)]|https?:|[./~@]|\S+[@:/]|[\w-]+\.\w{2,5}(?:\s|$))/.test(rest)
  )
}

const SELECTOR =
  /^[#.][a-z][\w-]*$|^[a-z]+(?:[.:/][a-z_]+)+$|^(?:[a-z]+-){2,}[a-z]+$|^\[\S*\]$|^\/\S*\/[a-z]*$|^--[\w-]+$/i
/** Words of a passphrase; a form's parts say so. */
const SLUG =
  /^(?!.*(?:pass|pwd|secret|token|cred|key|input|field|form|btn|button|label|text|error|hint|icon|auth|log|sign|user|name|setting|account|page|common|title|placeholder|valid|config|env|\.(?:value|current|length|id|data)$))/i

/** True for a value next to a user, a host or a database in the same object. */
export const isBesideUser = ({ own, rest }: Candidate) =>
  /\b(?:user(?:_?name)?|login|host(?:name)?|database|dbname)\\*["']?\s?[:=]>?\s?\\*["'][^"'\\\s]{1,60}\\*["'],?\s?\\*["']?$/i.test(
    own,
  ) || /^\s?,\s?\\*["']?(?:user(?:_?name)?|login|host(?:name)?|database|dbname)\\*["']?\s?[:=]/i.test(rest)

/** True for a selector, a path of names or an option, as programs write them in quotes. */
export const isSelector = (it: Candidate): boolean =>
  SELECTOR.test(it.said) &&
  !changesCase(it.said) &&
  !(
    SLUG.test(it.said) &&
    (isBesideUser(it)
      ? /^(?:[a-z]+-){2,}[a-z]+$|^[a-z]+\.[a-z]+$/i.test(it.said)
      : // Two words that name neither a message nor a route.
        it.kind === 'password' &&
        !/^(?::|=>)$/.test(it.sign) &&
        !/\b(?:export\s.*|(?:const|let|var|val|readonly)\s)$/.test(it.own) &&
        /^[a-z]+\.[a-z]+$/i.test(it.said))
  )
