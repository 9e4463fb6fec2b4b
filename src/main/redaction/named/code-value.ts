import { splitName } from './secret-name.ts'
import { mixesDigits, wordShare } from './strength.ts'

/** What surrounds an unquoted value. */
export interface Surroundings {
  readonly name: string
  readonly sign: string
  /** The line before the name, and the end of the line before that, as far as known. */
  readonly before: string
  /** The rest of the line after the value. */
  readonly rest: string
  /** The line after that, as far as known. */
  readonly next: string
  /** Space around the sign, or after a colon. */
  readonly spaced: boolean
}

/** Digits that belong to a name. */
const KNOWN_DIGITS =
  /(?:[Uu]tf|UTF|[Bb]ase|[Ss]ha|SHA|[Mm]d|MD|[Oo][Aa]uth|u?int|float|str|aes|AES|rsa|RSA|http|ipv|(?<![A-Za-z])[bhikpsvx])_?\d+(?=[A-Z_]|$)/g
const IDENTIFIER = /^[&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]*)*[!?]?$/
const TYPES =
  /^(?:String|Str|Int|Integer|Long|Number|Boolean|Bool|Bytes|Byte|Buffer|Any|Text|Char|Optional|Maybe|Object|Secret|Password|Token|Key|Array|List|Map|Dict|Promise|Data|Value|Symbol|None|Null|True|False|Function|Callable|Self|Undefined)$/
const CODE_BEFORE =
  /(?:^|[\s({,;])(?:const|let|var|val|final|static|private|public|protected|readonly|internal|def|fn|func|function|return|self|this|if|elsif|elif|else|for|while|case|when|assert|await|new|my|our|local|lambda|mut|int|char|void|auto|string|String|type|interface|class|struct|\w+\*)[\s.(]|[.@$]$|->$|::$|[({]\s*$|[({].*[,:]\s*$/
const CODE_LINE =
  /^\s*(?:def|class|if|elif|else|for|while|try|except|finally|with|return|import|from|raise|assert|pass|yield|end|do|begin|const|let|var|function|func|fn|private|public|self|this|super|print|export (?:default|const|function)|\}|\)|\]|@\w|\/\/|\/\*|\*)(?:\b|\W|$)|[;{([,]\s*$|\w\(.*\)\s*:?\s*$|:\s*$/
const SETTINGS_LINE = /^\s*(?:\[[\w .:-]+\]|[#;].*|[\w.-]+\s?[=:]\s?[^\s(){},;]+|---|- \w+: .*)?\s*$/

/** True if an unquoted value is, by syntax, an identifier, a call, a member or a type, and not the secret itself. */
export function isCode(value: string, around: Surroundings): boolean {
  if (/^[([{]|^\w+\{/.test(value)) return true
  // A constant, a role of a documentation tool.
  if (/^[A-Z][A-Z\d]*(?:_[A-Z\d]+){2,}$/.test(value) || /^:\w+:/.test(value)) return true
  if (isCall(value, around.rest)) return true
  if (isExpression(value, around)) return true
  if (!IDENTIFIER.test(value)) return false
  // Digits in the middle: not how variables are named.
  if (/[A-Za-z]\d+[A-Za-z]/.test(value.replaceAll(KNOWN_DIGITS, '')) && !/[._>:]/.test(value)) return false
  if (
    value.length >= 12 &&
    mixesDigits(value) &&
    wordShare(value) < (value.length < 24 ? 0.5 : 0.95) &&
    !/[.>:]/.test(value)
  )
    return false
  if (
    TYPES.test(value) ||
    (/[a-z][A-Z]\w*[a-z]/.test(value) && wordShare(value) > 0.5) ||
    /^[&*!]|[!?]$|[.>:]/.test(value)
  )
    return true
  if (namesItself(value, around.name)) return true
  return isInCode(value, around)
}

const isCall = (value: string, rest: string) =>
  /^[\w$.:>?-]*[\w$]\($/.test(value + rest.slice(0, 1)) || /^[\w$.:]+\(/.test(value)

/** Parts joined by operators, none of which mixes letters and digits. */
function isExpression(value: string, { rest, spaced, before }: Surroundings): boolean {
  if (!/^[\w$.!&*([-][\w$.?:[\]()+*/|&<>=!,'"-]*$/.test(value) || !/[+*/|&<>=?[\](),:-]/.test(value)) return false
  // Base64, whose signs leave parts without digits.
  if (/^[\w+/=-]{20,}$/.test(value) && mixesDigits(value) && wordShare(value) < 0.5) return false
  const parts = value.split(/[^\w$.]+/).filter((part) => part !== '')
  if (parts.some((part) => mixesDigits(part) && !/^[A-Za-z_.]+\d{0,2}$/.test(part))) return false
  return /[[\]()]|->|::|\?\.|\|\||&&/.test(value) || spaced || /^\s*[;,)]/.test(rest) || CODE_BEFORE.test(before)
}

/** `password: newPassword`, `token = tok`, `pwd: pw`. */
function namesItself(value: string, name: string): boolean {
  const own = splitName(name)
  const words = splitName(value)
  const last = own.at(-1) ?? ''
  return words.some(
    (word) =>
      (word.length > 1 && own.includes(word) && !/^\d+$/.test(word)) ||
      (word.length > 2 && last.startsWith(word)) ||
      /^(?:password|passwd|passphrase|pass|pwd|pw|secret|token|tok|key|credential|credentials|cred|creds|auth|arg|args|argv|opts|options|config|conf|cfg|settings|params|env|value|val|self|this|input|data|result|res|ret|response|req|request)$/.test(
        word,
      ),
  )
}

/** True if the lines around the value are those of a program. */
function isInCode(value: string, { before, rest, next, sign, spaced }: Surroundings): boolean {
  if (/^\s*[;)\]}{]|^\s*,|^\s*(?:if|else|or|and|\?|\|\||&&|\+|==|in|is|for|unless|as)\s/.test(rest)) return true
  if (/^\s*(?:\/\/(?![\w+/]{38})|\/\*)/.test(rest)) return true
  const lines = before.split(/[\r\n]|\\+n/).map((line) => line.replace(/^\s*\d+→/, ''))
  const own = lines.at(-1) ?? ''
  // In a string that begins on this line, the line above is outside.
  const above = own.split('"').length % 2 === 0 ? '' : (lines.at(-2) ?? '').trimEnd()
  if (CODE_BEFORE.test(own) || /[:=]=$|^[=!]==?$|=>|->/.test(sign)) return true
  if (/^\s*[}\])]/.test(next)) return true
  if (sign !== ':' && !spaced) return false
  const plain = !mixesDigits(value) || /^[A-Za-z_]+\d$/.test(value)
  if (!plain) return false
  if (/[{([,;]$/.test(above)) return true
  if (sign === ':') return false
  const isEvident = (line: string) => line.trim() !== '' && CODE_LINE.test(line) && !SETTINGS_LINE.test(line)
  return isEvident(above) || isEvident(next) || /^\s{4,}\S*$/.test(own)
}
