import type { Notation } from './notation.ts'
import { isPlaceholder, isReference } from './placeholder.ts'
import type { NameKind } from './secret-name.ts'
import { isAtPrompt } from './spaced-notation.ts'
import { changesClassOften, isDigest, looksRandom, mixesDigits, wordShare } from './strength.ts'

/** Characters between a name and a value that nothing but its look connects with it. */
const REACH = 90
const LONGEST = 128
/** Text that must be known before it is certain that no value follows. */
const LINE = REACH + LONGEST

const WORD = /[^\s"'`<>()[\]{},;|\\“”„«»「」]{9,}/g
/** Words that lead to a value, or none: ` for the zip: `, ` (hex): `, ` was changed to `, `: <b>`. */
const SAID =
  /^[ \t*_`"']{0,3}(?:[ \t]\(|[ \t]?[:=]>?[ \t]?\[[ \t]?|\([^()\n]{1,24}\))?(?:(?:[ \t]\d)?[ \t]{0,2}$|[ \t]?[:=][ \t]?\[[ \t]?|(?:,?[ \t][\p{L}_'’-]{1,20}){0,9}[ \t*_]{0,3}(?::{1,2}(?:<\/\w{1,8}>)?|=|\.{2,60}|[-–—›→>])[ \t]+|(?:,?[ \t][\p{L}'’-]{1,20}){0,7},?[ \t](?:is|IS|are|was|it['’]s|to|be|now|ist|lautet|est|es|è|é|är|er|jest|je|это|with|type|use|enter|from|als)[ \t]+|(?:[ \t][\p{L}'’-]{1,20}){1,5}[ \t]\(|["'`][ \t,]{1,3}\w{0,10}(?:value|val)["'`]?[ \t]?[=:][ \t]?)(?:<\w{1,8}>|[*_]{1,2}|\\{0,7}["'`]|[„“«「(]|[…›❯][ \t]+)?$/u
/** What a call compares with it, or takes after it; an initial value; a default. */
const HANDED =
  /^(?:\w{0,40}\(|\([^()\n]{0,40}\)[^"'`\n]{0,40}(?:return|=>|\{|:)[ \t]{0,3}|[^\n:=;{}]{0,70}[,({][ \t]?|[ \t]?<-[ \t]?|:[ \t]?\[u8;[ \t]?\d{1,4}\][ \t]?=[ \t]?[*&]?b|\\{0,7}["'`]\][ \t]|[ \t]?\{|[ \t]\w{1,20}[ \t]\\?`default:)\\{0,7}["'`]$/
/** Alone on a line below its name, also in a block of code. */
const BELOW =
  /^(?:[*_`"]{0,3}:?|[^\r\n]{0,90}:|[ ,][^\r\n=;{}<>]{0,90}(?=\r?\n\r?\n|\\n\\n))[*_]{0,2}[ \t]{0,4}(?:(?:\r?\n|\\{1,3}n)[ \t]{0,12}){1,3}(?:```\w{0,10}(?:\r?\n|\\n)|: |(- ["']?))?([^\s"'`<>\\,]{9,200})(?=[ \t]{0,8}(?:\r?\n|\\n|["`]|$))/

/** Words that hyphens join, and a number, said of the password of one thing. */
const WORDS = /^(?:(?:[a-z]{3,}-){2,}\d{1,4}|[a-z]{4,}\d{3,6})$/
const OF_ONE = /^[ ](?:for|of)[ ](?:the |my |our )?[\w-]{2,20}[ ]is[ ]$/

/** What a form shows above: the label of a user, and the user. */
const USER_ABOVE =
  /(?:^|["'`\n]|\\n)(?:user ?name|user|login|e-?mail|account)[^\n:\\]{0,10}(?:\n|\\n)[^\n\\]{1,60}(?:\n|\\n)$/i

/** A command that reads what its last argument names. */
const READS =
  /[$%>❯] (?!(?:sudo )?(?:git|e?grep|rg|docker|helm|brew|npm|pnpm|yarn|pip\d?|cargo) )(?:[^\n]*[\s:.'"-])?(?:gh api|get|show|read|print|reveal|output|fetch|puts|decrypt)[\s(:][^\n]*$/
/** What a command that ends with the name prints: one word, or what a console answers. */
const ANSWER =
  /^[\\"'\])}]{0,7}(?: -r)?[ \t]*(?:\r?\n|\\n)(=> )?\\{0,7}"?([^\s"'`<>\\,]{8,200})(?=\\{0,7}"?[ \t]*(?:\r?\n|\\n|["'`]|$))/

/** True for letters and digits that were drawn at random: no word, name, path, digest or id with a prefix. */
export const isDrawn = (value: string): boolean =>
  value.length >= 10 &&
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  (/\d/.test(value) || changesCaseOften(value)) &&
  !/[[\](){}]|^[a-z]{1,12}_|^[\w.-]{1,40}[=:]|:\/\/|[\\/.@:].*[\\/.@:].*[\\/.@:]|^[\w.+-]+@[\w-]+\.|[+/-].*\.\w{1,5}$/.test(
    value,
  ) &&
  (isIrregular(value, wordShare(value)) || changesCaseOften(value)) &&
  !isDigest(value) &&
  !isPlaceholder(value) &&
  !isReference(value)

/** True for letters whose case changes within what would be words. */
function changesCaseOften(value: string): boolean {
  const runs = /^[A-Za-z]{20,}$/.test(value) ? (value.match(/[a-z]+/g) ?? []) : []
  return runs.length > 3 && runs.join('').length <= 2.4 * runs.length
}

/** Names change between letters and digits where their words begin. */
const isIrregular = (value: string, share: number): boolean =>
  share < 0.35 ||
  (share < 0.5 && changesClassOften(value)) ||
  (share < 0.6 && looksRandom(value) && /\d[A-Za-z]/.test(value))

/** True for a password rather than a name, a file or a number: signs, or capitals, small letters and digits. */
export const isPassword = (value: string): boolean =>
  mixesDigits(value) &&
  !/[\\/(){}=]|^\w+:|^[\w.+-]+@[\w-]+\.|^v?\d+[.\d]*$|^[A-Za-z]+[-_]?\d{1,4}$|\.\w{1,4}$/.test(value) &&
  (/[!#$%^&*+?~@]/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value) && wordShare(value) < 0.8))

/** A sign, or words and a colon, between a name and a password that ends its line. */
const LEAD =
  /^(?:\\{0,7}["'`])?(?:[*_]{0,2}[ \t]{0,8}[:=]|(?:[ \t][\w'@./-]{1,40}){1,7}:|(?:[ \t][\w'@./-]{1,40}){0,7}[ \t](?:is|was|ist)(?: now)?:?)[*_]{0,2}[ \t]{1,8}/
const WILD = /^[^\s"'`\\]{10,80}(?=[ \t]*(?:[\r\n]|\\+[nr]|\\*["'`]|$)|[ \t]+(?:[(#]|--|[-–—] ))/
const WILD_LINE = /^[^\s"'`\\](?=[^\s\\]{0,80}["'`])[^\s\\]{8,78}[\w!#$%^&*+?~@](?=[ \t]*(?:[\r\n]|$))/
/** A call, an element, an operator, a template, a hash; what a comma, a semicolon or a bracket ends. */
const PROGRAM =
  /^[\w$.!&*]*[([{<].*[)\]}>]$|<\/|^<|[,;({[]$|::|=>|->|:\/\/|&&|\|\||\?[.:]|[$#]\{|\{\{|\$\(|\[redacted:|<private>|\[\^|^\$\w{1,12}\$|^\{[\w-]+\}|\.[a-zA-Z_]\w*\(/

/** Reads a password whose brackets and signs would end another value: small letters, capitals, digits and signs, no words. */
export function readWild(ahead: string, before: string, name: string): Notation | null {
  const own = before.slice(before.lastIndexOf('\n') + 1)
  const isSetting = /^[A-Z\d_]+$/.test(name) && /^[ \t]*(?:export[ \t]+)?$/.test(own)
  const lead = (isSetting && ahead.startsWith('=') ? '=' : LEAD.exec(ahead)?.[0])?.length
  if (lead === undefined) return null
  const rest = ahead.slice(lead, lead + 100)
  const whole = ((/["'`]/.test(own) ? null : WILD_LINE.exec(rest)) ?? WILD.exec(rest))?.[0] ?? ''
  // `(password: …)`
  const value = /[([{<]/.test(own) ? whole.replace(/[)\]}>]+$/, '') : whole
  if (!/[()[\]{}<>$;,&|"'`]/.test(value) || PROGRAM.test(value)) return null
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value) || isPlaceholder(value)) return null
  return isIrregular(value, wordShare(value)) ? notation('prose', lead, value) : null
}

/**
 * Finds a value that nothing attaches to its name, but that can be nothing else: the only random word near it, as in
 * `strcmp(password, "…")` and `PW for the zip: …`. 'more' if its line is not complete.
 */
export function readNearby(ahead: string, before: string, kind: NameKind, isWhole: boolean): Notation | null | 'more' {
  // Rows of a table.
  if (/^[^()\n]{0,200}\)\s{0,4}VALUES\b/i.test(ahead)) return null
  const shown = ANSWER.exec(ahead)
  const answer = shown !== null && isAtPrompt(before) && (shown[1] !== undefined || READS.test(before)) ? shown : null
  const answered = answer?.[2] ?? ''
  if (
    answer !== null &&
    (answer[1] !== undefined || mixesDigits(answered)) &&
    !isReference(answered) &&
    !isDigest(answered) &&
    !/^(?:[\da-f]{40}|[\da-f]{64}|[\d.]+\D{0,9})$/.test(answered) &&
    !/[:;({[]$|[/@]|^-|^\w+=/.test(answered)
  )
    return notation('entry', answer[0].length - answered.length, answered, ':')
  const below = BELOW.exec(ahead)
  const alone = below?.[2] ?? ''
  const isItem = below?.[1] !== undefined && (isPassword(alone) || /^[\da-f]{32,128}$/.test(alone))
  const isHex = /\n[ \t]*\r?\n|(?:\\n){2}/.test(below?.[0] ?? '') && /^[\da-f]{32,128}$/.test(alone)
  const isOwnLine = kind === 'password' && /^[^\n]*:\s/.test(below?.[0] ?? '') && isPassword(alone)
  const isOfForm =
    kind === 'password' && mixesDigits(alone) && !/^(?:min|max)?\d|chars?$/i.test(alone) && USER_ABOVE.test(before)
  if (below !== null && (isItem || isHex || isOwnLine || isOfForm || isDrawn(alone)))
    return notation('prose', below[0].length - alone.length, alone)
  const end = ahead.slice(0, LINE).search(/[\r\n]|\\n/)
  if (end < 0 && ahead.length < LINE && !isWhole) return 'more'
  const line = end < 0 ? ahead.slice(0, LINE) : ahead.slice(0, end)
  if (!/\d/.test(line)) return null
  for (const { 0: written, index } of line.matchAll(WORD)) {
    if (index > REACH) return null
    if (!/\d/.test(written)) continue
    const lead = line.slice(0, index)
    const value = written.replace(/[.:?]+$/, '')
    const isQuoted = /["'`]$/.test(lead) && /^\\{0,7}["'`]/.test(line.slice(index + written.length))
    if (isQuoted && kind === 'password' && HANDED.test(lead)) return notation('pair', index, written)
    if (isDrawn(value) || (/\(hex\)|\[[ \t]?["']?$/.test(lead) && /^(?:0x)?[\da-f]{64}$/.test(value)))
      return HANDED.test(lead) || SAID.test(lead) ? notation('prose', index, value) : null
    if (
      (isQuoted || /[!#$%^&*+?~@]/.test(value) || (WORDS.test(value) && OF_ONE.test(lead))) &&
      kind === 'password' &&
      SAID.test(lead)
    )
      return notation('prose', index, isQuoted ? written : value, isQuoted || OF_ONE.test(lead) ? 'is' : ' ')
  }
  return null
}

function notation(kind: 'prose' | 'pair' | 'entry', start: number, value: string, sign = kind === 'pair' ? ',' : ' ') {
  const end = start + value.length
  return { kind, sign, spaced: true, value: { start, end, quote: kind === 'entry' ? '"' : '', after: end } }
}
