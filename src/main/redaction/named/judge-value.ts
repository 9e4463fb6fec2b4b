import { decodesToPair } from '../http/base64-pair.ts'
import { isCode } from './code-value.ts'
import type { Notation } from './notation.ts'
import { isPlaceholder, isTemplate } from './placeholder.ts'
import { splitName, type NameKind } from './secret-name.ts'
import { changesClassOften, isDigest, looksRandom, mixesDigits, wordShare } from './strength.ts'
import { restOfLine } from './value-text.ts'

/** What is known of a value. */
export interface Judged {
  readonly kind: NameKind
  readonly name: string
  /** The text before the name. */
  readonly before: string
  readonly notation: Notation
  /** The text after the name. */
  readonly ahead: string
}

/** Decides whether a value is secret: true to remove it. Where both readings are possible, it is. */
export function judgeValue(value: string, judged: Judged): boolean {
  const { kind, notation } = judged
  const isUnquoted = notation.value.quote === '' && notation.kind !== 'element'
  // A dot at the end may be that of a sentence.
  if (isUnquoted && notation.kind !== 'flag' && /[^.]\.$/.test(value)) return judgeValue(value.slice(0, -1), judged)
  const isLongRandom = value.length >= 20 && mixesDigits(value) && wordShare(value) < 0.5
  if (isPlaceholder(value) || isReference(value) || isPlainNumber(value, judged)) return false
  if (isUnquoted) {
    if (!isUnquotedSecret(value, judged)) return false
  } else if (!isLongRandom && isUiText(value, judged)) return false
  if (/\s/.test(value) && /(?:key|token|^pass)$/i.test(judged.name) && !isLongRandom) return false
  if (value.length < 4 && /(?:key|token)$/i.test(judged.name)) return false
  if (/::$|\?\s*["'`]$/.test(judged.before) || (judged.before.endsWith(':') && notation.sign === ':')) return false
  if (/^[=!]==?$/.test(notation.sign)) return kind !== 'weak' && isStrong(value)
  if (notation.kind === 'pair' || notation.kind === 'call') return isPassed(value, judged)
  switch (kind) {
    case 'password':
    case 'secret':
      return true
    case 'dsn':
      return /^[^\s@]{1,80}:[^\s@]+@/.test(value)
    case 'token':
      return isTokenLike(value, judged)
    case 'weak':
      if (/auth$/i.test(judged.name) && value.length >= 6 && decodesToPair(value)) return true
      return (
        !isDigest(value) && !/^[\da-f]+$/i.test(value) && value.length >= 16 && mixesDigits(value) && looksRandom(value)
      )
  }
}

/** Values that name a secret's place: paths, addresses, vault references. */
function isReference(value: string): boolean {
  if (/^(?:https?|ftp|file|wss?|op|vault|s3|gs|ssm|secretsmanager|keyvault|data|urn|doc|git|ssh):/i.test(value))
    return true
  if (
    /^(?:ref\+|arn:|!\w|env[.(:]|process\.|os\.|secrets?\.|var\.|local\.|data\.|module\.|each\.|self\.|this\.|ENV\[|\*\w+$|&\w+$)/.test(
      value,
    )
  )
    return true
  if (/^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/.test(value)) return isPath(value)
  return (
    /^[\w.-]+\/[\w./-]+\.\w{1,5}$/.test(value) ||
    /\.(?:pem|key|crt|txt|json|ya?ml|toml|lock|env|js|ts|tsx|py|go|rs|rb|md|html?|css|svg|png|so|sh|exe|dll|cfg|conf|ini)$/.test(
      value,
    )
  )
}

function isPath(value: string): boolean {
  const bare = value.replaceAll('/', '')
  if (bare.length >= 30 && /[a-z]/.test(bare) && /[A-Z]/.test(bare) && /\d/.test(bare) && wordShare(bare) < 0.5)
    return false
  if (/[\s+=]/.test(value) && value.length >= 30) return false
  const parts = value.split(/[\\/]/).filter((part) => part !== '')
  return !parts.some(
    (part) =>
      (part.length >= 8 && mixesDigits(part) && wordShare(part) < 0.4) ||
      (part.length >= 24 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part)),
  )
}

function isPlainNumber(value: string, { kind, notation }: Judged): boolean {
  if (/^0x[\da-f]{1,8}$/i.test(value)) return true
  if (!/^[+-]?[\d_.,]+(?:e\d+)?[a-z%]{0,2}$/i.test(value)) return false
  const digits = value.replaceAll(/\D/g, '').length
  const quoted = notation.value.quote !== ''
  if (kind === 'password') return digits < 4 || /^\d+\.\d+$/.test(value)
  if (kind === 'secret') return digits < (quoted ? 4 : 6) || /^\d+\.\d+$/.test(value)
  return digits < 6 || !quoted
}

/** Text for people: labels, messages, translations. */
function isUiText(value: string, { name, notation, kind }: Judged): boolean {
  const inner = value.replaceAll(/\\+[nrt"']/g, ' ').trim()
  if (inner === '' || isPattern(inner) || isIdentifierText(inner, name)) return true
  if (kind === 'password' && mixesDigits(inner) && wordShare(inner) < 0.5 && inner.split(/\s+/).length <= 4)
    return false
  if (/[\u0080-\u{10ffff}]/u.test(inner) && (!/\d/.test(inner) || /[\u3040-\u{10ffff}]{3}/u.test(inner))) return true
  if (!/\s/.test(inner)) {
    if (/^[^A-Za-z0-9]+$/.test(inner)) return kind !== 'password' || inner.length < 6
    return (
      inner.toLowerCase() === name.toLowerCase() ||
      (/^[A-Z][a-z]+$/.test(inner) && TRANSLATED.test(inner)) ||
      isSelector(inner)
    )
  }
  if (
    /password|passwd|passphrase|secret|token|credential|\bkey\b|\bthe\b|\bis\b|\byour\b|\bmust\b|\bto\b|\bof\b|\bfor\b|\bplease\b|\b(?:will|be|this|are|not|with|when|you)\b/i.test(
      inner,
    )
  )
    return true
  if (/^[A-Z][a-z']*(?: [A-Za-z'’(),.-]+)+[.!?:…]?$/.test(inner)) return true
  if (/[,;{}()]\s|^\s|\s{2}|=>|==/.test(inner) || inner.split(/\s+/).length > 8) return true
  return notation.kind === 'pair' || notation.kind === 'call' || kind === 'weak'
}

/** A regular expression or a format. */
const isPattern = (text: string) =>
  /\[[!^-]?[a-zA-Z]-[a-zA-Z]|~0-9a-zA-Z|\(\?[:=!<]|\[\^|\][+*?{]|\\[dwsbS]|\.[*+][?)]|\{\d*\}|%[sd]/.test(text)

const FILLERS =
  /^(?:test|my|fake|dummy|the|your|some|a|an|example|mock|sample|default|user|stub|invalid|wrong|bad|bogus|no)$/

/** `apiKey: "test_api_key"`, `"challengePassword"`, `"_PrivateKey"`, `"DO_NOT_USE"`: an identifier in quotes. */
function isIdentifierText(text: string, name: string): boolean {
  if (!/^[A-Za-z_][A-Za-z_-]*$/.test(text)) return false
  if (/^[A-Z]+(?:_[A-Z]+){2,}$/.test(text)) return true
  if (/^_*[A-Za-z]+(?:Password|Secret|Token|Key|Credential)s?$/.test(text)) return true
  const own = new Set(splitName(name))
  const words = splitName(text)
  return (
    words.length > 1 &&
    words.some((word) => own.has(word)) &&
    words.every((word) => own.has(word) || FILLERS.test(word))
  )
}

const TRANSLATED =
  /^(?:Pass?wor[dt]e?s?|Kennwort|Senha|Wachtwoord|Contrase.a|Parola|Salasana|Jelsz.|Heslo|Geslo|Lozinka|Secret|Token|Schl.ssel|Key|Geheim\w*|Login|Required|Forgot\w*|Invalid|Optional|Hidden|Auth\w*|Credentials?)$/
/** CSS classes, selectors, element ids, dotted keys of translations, attributes. */
const isSelector = (text: string) =>
  /^[#.][a-z][\w-]*$|^[a-z]+(?:[.:/][a-z_]+)+$|^(?:[a-z]+-){2,}[a-z]+$|^\[.*\]$|^\/.*\/[a-z]*$|^--[\w-]+$/i.test(text)

function isUnquotedSecret(value: string, judged: Judged): boolean {
  const { name, before, notation, ahead, kind } = judged
  const { sign, spaced } = notation
  const line = restOfLine(ahead, notation.value.after)
  // The end of the string that all of it is in is the end of the line.
  const rest = /^\\*["'`]/.test(line) ? '' : line
  if (/[.{(]$/.test(value) || /^[&|?!@^~=<>%]+$/.test(value) || /^[[({]/.test(value)) return false
  if (notation.kind === 'query') return !/[([{]/.test(value) && (value.length >= 4 || kind === 'password')
  if (notation.kind === 'flag') return isFlagValue(value, rest, sign === '=')
  if (notation.kind === 'statement') return !/^-|^\w+\($/.test(value + rest.slice(0, 1))
  const below = (rest === line ? ahead.slice(notation.value.after + rest.length) : '').replace(/^\\*[rn]|^\r?\n/, '')
  const around = {
    name,
    sign,
    spaced,
    before: notation.kind === 'entry' ? '' : before,
    rest,
    next: untilStringEnd(restOfLine(below, 0)),
  }
  if (notation.kind === 'shell' && !/^[\w.]+\(/.test(value + rest.slice(0, 1)) && !/^\s*[,)]/.test(rest)) {
    const isUpper = !/[a-z]/.test(name)
    if (isUpper) return !(/^[A-Z][A-Z\d]*_[A-Z_\d]+$/.test(value) || value === name)
  }
  if (isTemplate(value) || /\$[A-Za-z_{(]/.test(value)) return false
  if (isCode(value, around)) return false
  return !isProse(value, rest, judged)
}

/** Cuts a line at a quote that closes a string from before it. */
function untilStringEnd(line: string): string {
  const mark = /["'`]/.exec(line)?.[0]
  return mark === undefined || line.split(mark).length % 2 === 1 ? line : (line.split(mark, 1)[0] ?? '')
}

const FLAG_WORDS =
  /^(?:is|to|and|or|the|for|a|an|string|option|flag|value|argument|arg|as|in|with|from|if|when|must|can|will|that|not|on|by|should|instead|which|may|was|has|are|be|of|at|use|using|takes|also|does|sets?|only|requires?|options?|parameter|stringArray|strings|bytes|file|[A-Z_]+)$/

/** A value after `--password `. A plain word counts at the end of a command or before its next argument. */
function isFlagValue(value: string, rest: string, isJoined: boolean): boolean {
  if (isJoined && !/^\w+\($/.test(value + rest.slice(0, 1)))
    return !/^[A-Z_]+$|^[[({<$]|^(?:str(?:ing)?|value|file|bytes)$/.test(value)
  if (value.startsWith('-') || FLAG_WORDS.test(value) || /^[[(<{$]/.test(value) || /[.:]$/.test(value)) return false
  if (/[\d!@#%^&*+]/.test(value)) return true
  return /^\s*(?:$|-|\||&|;|>|\\|["'`)]|https?:|[./~@]|\S+[@:/])/.test(rest)
}

/** A sentence: the value is a word and more words follow. */
function isProse(value: string, rest: string, { notation, kind, before }: Judged): boolean {
  if (/^[A-Za-z'’-]+[.,:;!?]?$/.test(value)) {
    if (/^[,.:;]?\s+\(?[A-Za-z'"`]/.test(rest) && !/^\s+#/.test(rest)) return true
    if (/^\s*\(/.test(rest)) return true
    // One word of a sentence or a listing: `PASS: name`, `Token: word`.
    if (kind !== 'password' && kind !== 'secret') return true
    return (
      notation.sign === ':' &&
      /\w[ \t]+$/.test(before.split(/[\r\n]/).at(-1) ?? '') &&
      !/["'`]$/.test(before) &&
      /^[A-Z]/.test(value)
    )
  }
  return kind === 'token' && !/\d/.test(value)
}

/** A literal that a function gets: only if it looks like a secret, or if the function sets one. */
function isPassed(value: string, { notation, kind, name }: Judged): boolean {
  if (kind === 'weak') return looksRandom(value) && mixesDigits(value) && value.length >= 16
  if (notation.sign === '(') return kind !== 'token' || isStrong(value)
  if (/[$]|^\{/.test(value)) return false
  if (/^(?:get|has|is|find|check|read|to|on|test|it|describe|expect)/i.test(name)) return false
  return isStrong(value) && !/^[a-z]+(?:[-_.][a-z\d]+)+$/i.test(value) && !isDigest(value)
}

/** At least eight characters, and not only words. */
const isStrong = (value: string) =>
  value.length >= 8 &&
  mixesDigits(value) &&
  wordShare(value) < 0.75 &&
  (!/^\w+\d$/.test(value) || (value.length >= 20 && changesClassOften(value)))

/** `token` alone is also what tokenizers, parsers and themes call their pieces. */
function isTokenLike(value: string, { notation, name }: Judged): boolean {
  if (value.length < 6 || isDigest(value))
    return /[A-Z]/.test(name) && !/[a-z]/.test(name) && value.length >= 4 && !isDigest(value)
  const isUpper = !/[a-z]/.test(name)
  if (isUpper || notation.kind === 'query' || notation.kind === 'flag') return true
  if (mixesDigits(value)) return wordShare(value) < 0.8
  return value.length >= 12 && looksRandom(value)
}
