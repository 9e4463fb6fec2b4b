import words from '../../../../resources/words/secret-values.json' with { type: 'json' }
import type { Candidate } from './candidate.ts'
import { isDrawn } from './nearby.ts'
import { isAtPrompt } from './spaced-notation.ts'
import { splitName } from './secret-name.ts'
import { changesCase, mixesDigits } from './strength.ts'
import { wordSet } from './word-set.ts'

const TYPES = wordSet(words.types)
const FILLERS = wordSet(words.fillers)
const VARIABLES = wordSet(words.variables)

/** Digits that belong to a name. */
const KNOWN_DIGITS =
  /(?:[Uu]tf|UTF|[Bb]ase|[Ss]ha|SHA|[Mm]d|MD|[Oo][Aa]uth|u?int|float|str|aes|AES|rsa|RSA|http|ipv|(?<![A-Za-z])[bhikpsvx])_?\d+(?=[A-Z_]|$)/g
const CODE_BEFORE =
  /(?:^|[\s({,;])(?:const|let|var|val|final|static|private|public|protected|readonly|internal|def|fn|func|function|return|self|this|if|elsif|elif|else|for|while|case|when|assert|await|new|my|our|local|lambda|mut|int|char|void|auto|string|String|type|interface|class|struct|\w+\*)[\s.(]|[.@$]$|->$|::$|[({]\s*$|[({].*[,:]\s*$/
const CODE_LINE =
  /^\s*(?:def|class|if|elif|else|for|while|try|except|finally|with|return|import|from|raise|assert|pass|yield|end|do|begin|const|let|var|function|func|fn|private|public|self|this|super|print|export (?:default|const|function)|\}|\)|\]|@\w|\/\/|\/\*|\*)(?:\b|\W|$)|[;{([,]\s*$|\w\(.*\)\s*:?\s*$|:\s*$/
const SETTINGS_LINE = /^\s*(?:\[[\w .:-]+\]|[#;].*|[\w.-]+\s?[=:]\s?[^\s(){},;]+|---|- \w+: .*)?\s*$/

/** A line of YAML or of a file of settings, or two of them. */
const SETTING = /^(?:\s*[\w.-]+(?:\s?=\s?|: )[\w./:@-]*[\w/])$/

/** What introduces a text: `Please look:`. */
const HEADING = /^[A-Z][a-z]+(?: [A-Za-z'’]+)*:$/

const isCodeLine = (line: string) =>
  line.trim() !== '' && CODE_LINE.test(line) && !SETTINGS_LINE.test(line) && !HEADING.test(line)

/** True if a program begins on the line of the name. */
export const followsCode = ({ own, sign, name, rest }: Candidate): boolean =>
  // Not `DB_PASSWORD => x`, as a program prints a map.
  !(sign === '=>' && rest === '' && withinString(own).trim() === '' && !/[a-z]/.test(name)) &&
  ((CODE_BEFORE.test(own) && !(sign === ':' && /^\W*(?:my|our|new)\s(?:\w+\s){0,3}$/i.test(own))) ||
    /[:=]=$|^!=|=>|->/.test(sign))

const withinString = (own: string) => own.slice(own.search(/[^"'`]*$/))

/** `-o user=ada,password=X`, `w1 ansible_user=root ansible_pass=X`, `{User:ada Pass:X}`, `Login[user=ada, pass=X]`: no program. */
export function isInRow(it: Candidate): boolean {
  const known = ROWS.get(it) ?? readRow(it)
  ROWS.set(it, known)
  return known
}

/** Several signals ask. */
const ROWS = new WeakMap<Candidate, boolean>()

function readRow(it: Candidate): boolean {
  const { sign, spaced, isQuoted, isMixed, value, own: line, rest } = it
  if (isQuoted || namesVariable(it)) return false
  const isField =
    /;\s?$/.test(line) && /\b(?:user(?: ?id| ?name)?|uid|server|data source|database|host)\s?=/i.test(line + rest)
  const isSetting = rest === '' && line.trim() === '' && SETTING.test(it.above) && SETTING.test(it.below)
  if (sign === '=' && isMixed && (isField || isSetting)) return true
  const own = withinString(line)
  if (sign === '=>' && /\[(?:\w+ => [\w.@/:-]+, ){1,9}$/.test(own)) return /^(?:, \w+ =>|\])/.test(rest)
  // `{ user: ada, pass: a7 }`, `Login(user=ada, pass=a7)`: nobody calls a variable so.
  const isBesideUser = /[({ ](user(?:name)?|login)(?:: |=)(?!user|login|this|self|name\b|\w*\.)\w+, $/.test(own)
  if (isBesideUser && isMixed && /^ ?[)},]/.test(rest) && !/^[\w.]*[A-Za-z]_?\d$/.test(value.slice(0, 6))) return true
  if (spaced && !/\b(?:login|user(?:name)?): \S+[ \t]+$/.test(own)) return false
  if (sign === ':' && /\b(?:login|user(?:name)?): \S+[ \t]+$/.test(own)) return rest.trim() === ''
  if (sign === ':') return /^(?:\}|\])?$|^ [A-Z]\w*:/.test(rest) && /[{[ ]\*?[A-Z]\w*:[^\s:]* $/.test(own)
  if (sign !== '=') return false
  // An argument at a prompt.
  if (isAtPrompt(own) && /^(?:\s|$)/.test(rest)) return true
  const isBeside = /(?:^|[\s,;])[\w.[\]-]+=[^\s,;=()]+[ ,;]$/.test(own) || /^[ ,;][\w.[\]-]+=[^=\s]/.test(rest)
  if (!/[({[][^)}\]]*$/.test(own)) return isBeside && !/[;)]\s*$/.test(rest.split(/["'`]/, 1)[0] ?? '')
  // Results: `{pass=all, fail=none}`.
  if (/^pass$/i.test(it.name) && !/\b(?:user(?:name)?|login)=/i.test(own + rest)) return false
  // As a program prints an object: its fields are in braces, or one is not written like a value.
  return (
    (/[\w=][{[](?:[\w.]+=[^={}]*, )*$/.test(own) && /^(?:, [\w.]+=|[}\]])/.test(rest)) ||
    (/[A-Z]\w*\((?:[\w.]+=[^={}()]*, )*$/.test(own) &&
      /=(?:null|true|false|[\w.-]*[:/@-][^,)]*)?(?:, |\)|$)/.test(own + rest))
  )
}

/** True if the lines around are those of a program. */
export function isAmidCode({ value, sign, spaced, own, above, below, isMixed }: Candidate): boolean {
  if (/^\s*[}\])]/.test(below)) return true
  const mayBeVariable = !isMixed || /^[A-Za-z_]+\d$/.test(value)
  if (!mayBeVariable || (sign !== ':' && !spaced)) return false
  if (/[{([,;]$/.test(above)) return true
  return sign !== ':' && (isCodeLine(above) || isCodeLine(below) || /^\s{4,}\S*$/.test(own))
}

/** True for digits where no programmer puts them in a name. */
export const isNoName = ({ value, isMixed, words: share }: Candidate): boolean =>
  // A token of two parts, or a password.
  (/^\w{4,16}\.\w{20,}$/.test(value) && isMixed && share < 0.4) ||
  (/^[A-Z]\w*\d\.\w*\d$/.test(value) && share < 0.66) ||
  (!/[.>:]/.test(value) &&
    ((!value.includes('_') && /[A-Za-z]\d+[A-Za-z]/.test(value.replaceAll(KNOWN_DIGITS, ''))) ||
      isDrawn(value) ||
      (value.length >= 12 && isMixed && share < (value.length < 24 ? 0.5 : 0.95))))

/** Words joined by a sign without spaces, and a number; or both parts with one. */
const PASSWORD_OF_PARTS =
  /^(?:[A-Za-z]+[*%^+=][A-Za-z]+\d{2,4}|(?!(?:U?Int|Float|Decimal)\d)[A-Z][a-z]{3,}\d{2,4}[*%^+=?]|(?!(?:Bytes|Bits|Length|Pages?|Size|Max|Min|Limit|Count|Width|Height|Offset|Timeout|Rows?|Seconds|Minutes|Hours|Days)\W)[A-Z][a-z]{2,}[*%^+]\d{3,6}|(?=.*[A-Z]|.{9})[A-Za-z]{3,}-[A-Za-z]{3,}\d{2,4}|[A-Za-z]{3,}\d[-+.*^%_][A-Za-z]{3,}\d)[!?]?$/

/** A type, a limit or a place, and its size or number. */
const SIZED =
  /(?:Char|String|Int|Binary|Text|Blob|Float|Length|Size|Limit|Count|Rounds|Page|Case|Bits|Bytes|Version|Level|Step|Index|Buffer|Array|Field|Column|Digits)\d+$/

/** True for two words with capitals and a number, which name no type or limit: `BlueHeron42`. */
export const isNumberedPair = (it: Candidate): boolean =>
  /^[A-Z][a-z]{2,}[A-Z][a-z]{2,}\d\d$/.test(it.value) && !SIZED.test(it.value) && !namesVariable(it)

/** True for parts joined by operators if no part mixes letters and digits. */
export function isExpression(it: Candidate): boolean {
  const { kind, value, rest, sign, spaced, before, isMixed, words: share, above, below } = it
  if (!/^[\w$.!&*([-][\w$.?:[\]()+*/|&<>=!,'"-]*$/.test(value) || !/[+*/|&<>=?[\](),:-]/.test(value)) return false
  // Words joined by hyphens: formatters put spaces around a minus.
  if (/^\w+(?:-\w+){2,}[!?]?$/.test(value) || (isMixed && /^\w+-\w*[A-Za-z]$/.test(value) && value.length > 7))
    return false
  if (
    kind !== 'weak' &&
    rest === '' &&
    (SETTING.test(above) || SETTING.test(below)) &&
    /^[a-z]{3,}-[a-z]{3,}[!?]?$/.test(value)
  )
    return namesVariable(it)
  if (kind === 'password' && sign === ':' && rest === '' && /^[a-z]{4,}-\d{1,4}$/i.test(value)) return false
  // A password, in which nothing else is written like one.
  if ((kind === 'password' || kind === 'secret') && PASSWORD_OF_PARTS.test(value) && !rest.startsWith(';')) return false
  if (kind !== 'weak' && value.length > 9 && changesCase(value)) return false
  // No operator is between two names.
  if (/\w[!#@~]\w|\w\?\d+$/.test(value) || (/^[\w.-]+&\w+[!?]?$/.test(value) && !rest.startsWith(';'))) return false
  // Words with capitals and a number, or after a sign without space.
  if (
    /^[A-Z][a-z]+(?:[._-][A-Z]?[a-z]+)*[._-]\d{1,6}[!?]?$|^(?!(?:Get|New|Set|Read|Convert\w*|Import|Export|Invoke|Add|Remove|Test|Write|Select|Start|X)-)[A-Z][a-z]+(?:-[A-Z][a-z]+)+$/.test(
      value,
    )
  )
    return false
  // Base64, whose signs leave parts without digits.
  if (/^[\w+/=-]{20,}$/.test(value) && isMixed && share < 0.5) return false
  const parts = value.split(/[^\w$.]+/)
  if (parts.some((part) => mixesDigits(part) && !/^[A-Za-z_.]+\d{0,2}$/.test(part))) return false
  return /[[\]()]|->|::|\?\.|\|\||&&/.test(value) || spaced || /^\s*[;,)]/.test(rest) || CODE_BEFORE.test(before)
}

/** True for two words with a dot in a file of settings: `password: rosella.wing`. */
export const isSetAmidSettings = (it: Candidate): boolean =>
  it.kind === 'password' &&
  it.rest === '' &&
  /^[a-z]{3,}\.[a-z]{3,}$/.test(it.value) &&
  (SETTING.test(it.above) || SETTING.test(it.below)) &&
  !namesVariable(it)

/** True for a type, or a variable named after its content: `password: newPassword`, `token = tok`, `pwd: args`. */
export function namesVariable({ value, name }: Candidate): boolean {
  const own = splitName(name)
  const isOwn = (word: string) =>
    (word.length > 1 && own.includes(word) && !/^\d+$/.test(word)) || (word.length > 2 && own.at(-1)?.startsWith(word))
  return TYPES.has(value) || splitName(value).some((word) => VARIABLES.has(word) || isOwn(word))
}

/** `apiKey: "test_api_key"`, `"challengePassword"`, `"DO_NOT_USE"`. */
export function isIdentifierText({ said, name }: Candidate): boolean {
  if (!/^[A-Za-z_][A-Za-z_-]*$/.test(said)) return false
  if (/^[A-Z]+(?:_[A-Z]+){2,}$|^_*[A-Za-z]+(?:Password|Secret|Token|Key|Credential)s?$/.test(said)) return true
  const own = new Set(splitName(name))
  const all = splitName(said)
  return all.length > 1 && all.some((word) => own.has(word)) && all.every((word) => own.has(word) || FILLERS.has(word))
}
