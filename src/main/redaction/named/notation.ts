import { closesString } from '../closes-string.ts'
import { byCell, byProse, bySpace, FLAG, found, SQL } from './spaced-notation.ts'
import { looksRandom, mixesDigits } from './strength.ts'
import {
  isOpen,
  readLineValue,
  readValue,
  readWord,
  restOfLine,
  STOP_BRACKET,
  STOP_FIELD,
  STOP_LINE,
  STOP_PLAIN,
  STOP_QUERY,
  STOP_WORD,
  type ValueText,
} from './value-text.ts'

/**
 * How a value is attached to its name: 'sign' (`=`, `:`), 'query' (`?a=b&`), 'shell' (`NAME=value`), 'flag' (`--name value`),
 * 'element' (XML), 'call' (`setX("…")`), 'pair' (`("NAME", "…")`), 'entry' (`name: X` and `value: …`), 'statement' (`ENV X …`),
 * 'cell' (`| NAME | … |`), 'prose' (`the password is …`).
 */
export type NotationKind =
  | 'sign'
  | 'query'
  | 'shell'
  | 'flag'
  | 'element'
  | 'call'
  | 'pair'
  | 'entry'
  | 'statement'
  | 'cell'
  | 'prose'

/** Positions count from the end of the name. */
export interface Notation {
  readonly kind: NotationKind
  readonly sign: string
  /** True if there is space around the sign, or after a colon. */
  readonly spaced: boolean
  readonly value: ValueText
}

const SIGN =
  /^(?:\\{0,31}["'`])?(?:\*\*?|__)?(?:\[\d{0,6}\]|:(?:protected|private|\\*"[\w\\]{1,60}":private)| \[(?:None|\*{4,}\w{0,4})\])?\]?(?:[ \t]?\.{3,40}(?=[ \t]?:))?(?:[ \t]{1,4}(?:string|\*string|\[\]byte|&str)|[ \t]{1,4}\{[a-z; ]{1,40}\})?([ \t]{0,40}(?:#[ \t])?)(=>|:=|\?\??=|\|\|=|===?|!==?|->|=|::?)(?:(?:\*\*|__)(?=[ \t]))?((?:[ \t]|\\{1,7}t){0,40}(?:[›»❯][ \t]{1,3})?(?:(?:\\*[rn]|\\?[\r\n])+[ \t]{0,40}(?=\\*["'`]|string\(\d)|\\(?:\r?\n|\\\\n)[ \t]{0,40})?)/
/** A type between the name and its value: `password: string = "…"`. */
const TYPE =
  /^&?(?:mut )?(?:'\w+ )?(?:\[\w{1,8}; ?\d{1,4}\]|[A-Za-z_][\w.]{0,40})(?:<[^<>\n"']{0,40}>|\[[^\]\n"']{0,40}\])?[?!]?(?: \| \w+){0,3}[ \t]*=(?![=>])[ \t]*/
/** What a value is wrapped in: `Some("…")`, `[]byte("…")`, `!unsafe "…"`, `string(12) "…"`; and where its default is. */
const TAG =
  /^(?:!{1,2}\w{1,20}|string\(\d{1,6}\))[ \t]+(?=\\*["'])|^(?:!Sub|!!str|!unsafe)[ \t]+|^`(?=`[^`\n])|^\\"\\"(?=\\"[^"\\])|^\((?:\s|\\+n){0,20}(?=\\*["'])|^&\w{1,30}[ \t]+(?=[^\s*&])/
const CALLED =
  /^(?:(?:new|await)[ \t]+)?[&*.]?((?:\[\])?[A-Za-z_][\w.:]{0,60})(?:::<[^<>\n]{0,30}>)?!?\((?:\s|\\+n){0,12}(?:default(?:_value)?[ \t]?=[ \t]?)?(?=[rbfuLN@$]{0,2}\\*["'`]|[\w.:]{1,30}\(\s{0,4}\\*["'`])/
const WRAPPER =
  /(?:^|[.:])(?:Some|Just|Ok|Right|of|from|[sS]tring|text|plain|literal|Str|StringPtr|StringValue|To|bytes|byte|Bytes|encode|str|Box|Arc|hex|fromhex|unhexlify|Zeroizing|Field|SecureString|strdup|\[\]byte|(?!\w*Credential)\w*(?:Secret|Redacted|Sensitive|Protected)\w*)$|^(?:\w+::)*\w*Secret\w*::\w+$/
const FALLBACK =
  /^[A-Za-z_][\w.$:]{0,60}(?:\([^()\n]{0,80}\)|\[[^\]\n]{0,80}\]){0,2}[ \t]{0,4}(?:\?:|\|\||\?\?|or\b|\.default\(|\.unwrap_or\()[ \t]{0,4}(?=\\*["'`])|^[\w.:]{0,30}(?:[eE]nv|ENV)\w{0,12}(?:\.\w{2,8})?\(\\*["'][\w.-]{1,60}\\*["'],[ \t]{0,4}(?=\\*["'])/
const FENCE =
  /^(?:```\w{0,12}(?:\r?\n|\\n)(?=[^\s`]{4,200}(?:\r?\n|\\n)```)|\\*"?\$\(cat <<-?[ ]?\\*["']?\w{1,20}\\*["']?(?:\r?\n|\\n)[ \t]{0,12}(?=[^\s$]{4,200}(?:\r?\n|\\n)))/
const BLOCK = /^[|>][-+]?\d?(?:\\*[rn]|[\r\n])+(?:[ \t]*\d+→)?[ \t]{1,40}/
const MAYBE = /^[\s"'`\\\])=:>,?|!-]*$/
const ELEMENT = /^[ \t]{0,4}(?:[\w:-]{1,30}=\\*"[^"<>\n]{0,60}"[ \t]*){0,3}>(?:<Value>|<!\[CDATA\[)?(?=[^<\s])/
const PLIST =
  /^<\/(?:key|name)>(?:\s|\\+[nrt]|\d+→|\n[+-]){0,40}<(?:string|value)(?:[ \t][\w:-]{1,30}=\\*"[^"<>\n]{0,60}"){0,4}>(?=[^<])/i
const ATTRIBUTE =
  /^\\*["'][ \t]{1,8}(?:[\w:-]{1,30}=\\*"[^"<>\n]{0,60}\\*"[ \t]+)?(?:value|Value|VALUE|content|default)=(?=\\*["'])/
const PROPERTY = /^\\*["'](?:[ \t]+[\w:-]{1,30}=\\*"[^"<>\n]{0,60}"){0,4}[ \t]{0,4}>(?:\s{0,40}<value>)?(?=[^<\s])/
const PAIR =
  /^\]?(\\*["'`])(?:\](?:\\*["'`])?)?(?:[ \t]{0,4}[,;](?:\s|\\+[nrt]|\d+→){0,40}(?:default(?:_value)?[ \t]?=[ \t]?)?|\)?\)\.(?:fill|type|setValue|sendKeys|send_keys)\()(?=\\*["'`])/
const PAIR_BEFORE = /["'`](?:[#.]|[\w-]{0,20}\[(?:name|id|type)=\\*["']?)?-{0,2}$/
/** Other fields may stand between the name and its value. */
const ENTRY =
  /^(?:\\*["'`])?[ \t]{0,4}(?:[,;](?:\s|\\+[nrt]|\d+→){0,60}|(?:\s|\\+[nrt]|\d+→){1,60})[{ \t]{0,4}(?:\\*["']\w{1,30}\\*["'][ \t]{0,4}:[ \t]{0,4}(?:\\*["'][^"'\\\n]{0,80}\\*["']|[\w.]{1,20})[ \t]{0,4},(?:\s|\\+[nrt]|\d+→){0,40}){0,4}(?:[a-z]\w{1,20}: [^\n\\]{1,80}(?:\n|\\n)[ \t]{1,12}){0,2}(?:\\*["'`])?(?:value|Value|VALUE|ParameterValue|secretValue|val|content|default|example)(?:\\*["'`])?[ \t]{0,8}[:=][ \t]{0,8}/
const ENTRY_BEFORE =
  /(?:^|[\s{,"'`\\-])(?:name|Name|NAME|key|Key|ParameterKey|id|header|field|variable)\\*["'`]?[ \t]{0,8}[:=]?[ \t]{0,8}\\*["'`]?(?:\/?[\w.-]{1,40}\/){0,6}$/
const VARIABLE = /^\\*"[ \t]{0,4}\{[^{}]{0,200}?\bdefault[ \t]{0,12}=[ \t]{0,8}(?=\\*")/
/** A value one level below its name in YAML. */
const CHILD =
  /^:[ \t]*(?:\r?\n|\\n)([ \t]{1,40})(?:[A-Za-z][\w-]{1,30}:[^\n\\]{0,120}(?:\n|\\n)\1){0,6}(?:value|default):[ \t]{1,8}/i
/** `"db_password": {"sensitive": true, "value": "…"}`, as Terraform prints it. */
const NESTED =
  /^\\*"[ \t]{0,4}:[ \t]{0,4}\{(?:\s|\\+[nrt]){0,40}(?:\\*"(?:sensitive|type|description)\\*"[ \t]{0,4}:[ \t]{0,4}(?:\\*"[^"\\\n]{0,80}\\*"|\w{1,8}),(?:\s|\\+[nrt]){0,40}){0,3}\\*"value\\*"[ \t]{0,4}:[ \t]{0,4}(?=\\*")/
const CALL = /^[({][ \t]{0,4}(?:Some\()?(?=\\*["'`])/
const CALLED_WITH_NAME =
  /(?:putenv|setenv|define|setProperty|setItem|set|env|header|append|add|put|Setenv|config|fill|type|option|flag\.String|environ\w*|(?:put|set|get|write|save|store)(?:String|Value|Secret|Secure\w*|Env\w*|Pref\w*|Config\w*|Setting\w*|Option|Entry))\s?\(\s?\\*["'`](?:[\w-]{0,20}\[(?:name|id|type)=\\*["']?)?$/i

const FORM_DATA = /^\\*"(?:\r?\n|(?:\\+r)?\\+n){2}(?=[^\r\n])/

/** Reads the notation between a name and its value. 'more' if the text ends too early to decide, unless it is `whole`. */
export function readNotation(ahead: string, before: string, name: string, whole = false): Notation | null | 'more' {
  return (
    byNested(ahead) ??
    bySign(ahead, before, name) ??
    byElement(ahead, before) ??
    byEntry(ahead, before) ??
    byPair(ahead, before) ??
    byCall(ahead, before, name) ??
    bySpace(ahead, before, name) ??
    byCell(ahead, before) ??
    byProse(ahead, before) ??
    (!whole && isUndecided(ahead, before) ? 'more' : null)
  )
}

/** True if more text may still turn this into a notation. */
function isUndecided(ahead: string, before: string): boolean {
  if (/variable\s+\\*"$/.test(before)) return ahead.length < 320
  if (ENTRY_BEFORE.test(before) || /[<>]$/.test(before)) return ahead.length < 200
  return MAYBE.test(ahead) || isOpen(ahead) || (ahead.length < 80 && !/[\r\n]/.test(ahead))
}

function bySign(ahead: string, before: string, name: string): Notation | null {
  const hit = SIGN.exec(ahead)
  if (hit === null) return null
  const [all, space = '', sign = '', after = ''] = hit
  if (/[\r\n]|\\/.test(after) && /^[=!]==?$/.test(sign)) return null
  if (sign === '::' || sign === '->' || /\bcase\s?\\*["']$/.test(before.slice(-12))) return null
  // The user of an address; `${NAME:?message}`, not `${NAME:-default}`; `PASSWORD :'name'` of psql.
  if (sign === ':' && /:\/\/[\w.-]{0,40}$/.test(before)) return null
  if (sign === ':' && /^[?+]/.test(ahead.slice(all.length)) && before.endsWith('${')) return null
  if (sign === ':' && space !== '' && after === '' && SQL.test(before)) return null
  if (/^[ \t]*#|^\/\/(?![\w+/]{38})|^\/\*/.test(ahead.slice(all.length))) return null
  let from = all.length
  if (sign === ':' && ahead[from] === '-' && before.endsWith('${')) from += 1
  if (sign === ':' && after !== '') {
    const type = TYPE.exec(ahead.slice(from))
    // Not base64 with its padding, nor a value with a sign in it.
    const isValue = type !== null && !/\s/.test(type[0]) && !isLiteral(ahead, from + type[0].length)
    if (type !== null && !isValue && !(mixesDigits(type[0]) && looksRandom(type[0]))) from += type[0].length
    const block = BLOCK.exec(ahead.slice(from))
    if (block !== null) from += block[0].length
  }
  const fence = FENCE.exec(ahead.slice(from))
  if (fence !== null) return found('sign', readValue(ahead, from + fence[0].length, STOP_LINE), sign)
  from += TAG.exec(ahead.slice(from))?.[0].length ?? 0
  const wrapped = /^[=!]==?$/.test(sign) ? null : byWrapper(ahead, from)
  if (wrapped !== null) return wrapped
  const spaced = space !== '' || after !== ''
  const quote = /^\\{0,31}["'`]/.exec(ahead.slice(from))?.[0]
  if (quote !== undefined && closesString(quote, before + ahead.slice(0, from), ahead.slice(from + quote.length)))
    return null
  const isBare = !/^(?:\\{0,31}["'`]|\])/.test(all)
  if (isBare && sign === '=' && !spaced && /(?:[?&;#]|&amp;)[\w.[\]-]*$/.test(before))
    return found('query', readValue(ahead, from, stopOf(before)), sign, false)
  if (isBare && sign === '=' && !spaced && FLAG.test(before))
    return found('flag', readValue(ahead, from, STOP_WORD), '=', false)
  const isUpper = /[A-Z]/.test(name) && !/[a-z]/.test(name)
  const isLine = /(?:^|[\r\n→"'`=]|\\n|[:-]\d{1,6}[:-])[ \t]{0,24}(?:(?:export|set|SET|-|\$env:)[ \t]*)?$/.test(before)
  const isShell =
    isBare &&
    !spaced &&
    sign === '=' &&
    (isUpper || isLine || /(?:-e|--env|-D|export|--build-arg|--set|--from-literal=)\s?$/.test(before))
  const value =
    isShell && isLine && isUpper
      ? readLineValue(ahead, from, /(?:export|set)[ \t]+$/i.test(before))
      : readWord(ahead, from, isLine, sign === ':' ? STOP_PLAIN : STOP_WORD)
  return found(isShell ? 'shell' : 'sign', value, sign, spaced)
}

/** A field of a connection string goes on to a semicolon, or to the bracket around the string. */
const stopOf = (before: string) =>
  !/;[\w.[\] -]*$/.test(before) ? STOP_QUERY : /\([^\s()"'`]*$/.test(before) ? STOP_BRACKET : STOP_FIELD

/** Reads a literal that is handed to a call: one that wraps it, or one that may do anything. */
function byWrapper(ahead: string, start: number): Notation | null {
  const fallback = FALLBACK.exec(ahead.slice(start, start + 260))
  // The default of what the environment holds.
  const isOfEnvironment = /env/i.test(fallback?.[0] ?? '')
  const [kind, sign] = isOfEnvironment ? (['sign', '='] as const) : (['pair', ','] as const)
  if (fallback !== null) return found(kind, readValue(ahead, start + fallback[0].length, STOP_WORD), sign)
  let from = start
  let isWrapper = true
  for (let depth = 0; depth < 3; depth += 1) {
    const call = CALLED.exec(ahead.slice(from, from + 120))
    if (call === null) break
    from += call[0].length
    isWrapper &&= WRAPPER.test(call[1] ?? '')
  }
  if (from === start || !isLiteral(ahead, from)) return null
  return found(isWrapper ? 'sign' : 'pair', readValue(ahead, from, STOP_WORD), isWrapper ? '=' : ',')
}

const isLiteral = (text: string, from: number) => /^[rbfuLN@$]{0,2}\\*["'`]/.test(text.slice(from, from + 40))

function byNested(ahead: string): Notation | null {
  const open = ahead.startsWith('"') || ahead.startsWith('\\') ? NESTED.exec(ahead) : null
  return open === null ? null : found('entry', readValue(ahead, open[0].length, STOP_WORD), ':')
}

function byElement(ahead: string, before: string): Notation | null {
  if (/<(?:[\w-]{1,20}:)?$/.test(before)) {
    const open = ELEMENT.exec(ahead)
    if (open !== null) return element(ahead, open[0].length)
  }
  const form = before.endsWith('"') && /form-data; name=\\*"$/.test(before) ? FORM_DATA.exec(ahead) : null
  if (form !== null) {
    const line = restOfLine(ahead, form[0].length).length
    return found('element', {
      start: form[0].length,
      end: form[0].length + line,
      quote: '',
      after: form[0].length + line,
    })
  }
  if (ahead.startsWith('<')) {
    const list = PLIST.exec(ahead)
    return list === null ? null : element(ahead, list[0].length)
  }
  if (!/^\\*["']/.test(ahead)) return null
  const attribute = ATTRIBUTE.exec(ahead)
  if (attribute !== null) return found('entry', readValue(ahead, attribute[0].length, STOP_WORD))
  const property = /\b(?:name|key)=\\*["']$/i.test(before) ? PROPERTY.exec(ahead) : null
  return property === null ? null : element(ahead, property[0].length)
}

function element(ahead: string, from: number): Notation | null {
  const end = ahead.slice(from, from + 300).search(/\]\]><|<|[\r\n]/)
  if (end < 1 || !/^(?:\]\]>)?</.test(ahead.slice(from + end, from + end + 4))) return null
  return found('element', { start: from, end: from + end, quote: '', after: from + end })
}

function byEntry(ahead: string, before: string): Notation | null {
  const child = CHILD.exec(ahead)
  if (child !== null) return found('entry', readValue(ahead, child[0].length, STOP_PLAIN), ':')
  const variable = /variable\s+\\*"$/.test(before) ? VARIABLE.exec(ahead) : null
  if (variable !== null) return found('entry', readValue(ahead, variable[0].length, STOP_LINE))
  const entry = ENTRY.exec(ahead)
  return entry === null || !ENTRY_BEFORE.test(before)
    ? null
    : found('entry', readValue(ahead, entry[0].length, STOP_PLAIN), ':')
}

function byPair(ahead: string, before: string): Notation | null {
  const pair = PAIR.exec(ahead)
  if (pair === null || !PAIR_BEFORE.test(before)) return null
  const isCall = CALLED_WITH_NAME.test(before) || before.endsWith('-') || /\.\w+\($/.test(pair[0])
  return found('pair', readValue(ahead, pair[0].length, STOP_WORD), isCall ? '(' : ',')
}

function byCall(ahead: string, before: string, name: string): Notation | null {
  const call = CALL.exec(ahead)
  if (call === null) return null
  const value = readValue(ahead, call[0].length, STOP_WORD)
  if (value === null || !/^(?:\.\w{1,20}\(\w{0,12}\))?\s*[)}]/.test(ahead.slice(value.after))) return null
  if (ahead.startsWith('{')) return /[ \t(]$/.test(before) ? found('sign', value, '=') : null
  const isStep = /(?:^|\n|\\n|\))\s*\.$/.test(before)
  return found('call', value, isStep || /(?:^|\.)(?:set|with)/i.test(name) || /SecureString$/i.test(name) ? '(' : '')
}
