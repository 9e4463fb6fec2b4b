import type { Notation, NotationKind } from './notation.ts'
import { readValue, STOP_LINE, STOP_WORD, type ValueText } from './value-text.ts'

const STATEMENT =
  /(?:^|[\n;"'`&|(→>=$#]|\\n)[ \t]{0,12}(?:ENV|ARG|\\+set|setenv|setx|set -[a-zA-Z]{1,3}|SetEnv|export|fastcgi_param|proxy_set_header|add_header|env)[ \t]+$|(?:\b|\\n)(?:config(?:ure)?|secrets?|env|variables?|kv|etcdctl|parameters?)[ :](?:set|put)[ \t]+(?:-\w+[ \t]+)?\S{0,60}$/i
/** As Debian and jq take it: `x/root-password password …`, `--arg pw …`. */
const GIVEN = /\/[\w-]{0,30}password(?:-\w{1,8})?[ \t]+$|--arg[ \t]+$/
/** A line of the settings of a router. */
const DEVICE = /(?:^|\n|\\n|[#>%"'`])[ \t]*set(?![ \t](?:your|the|an?|my|up)\s)(?:[ \t][\w./:@-]{1,40}){1,12}[ \t]$/
/** A line of a name and a value that is of an account: `user ada`. */
const ACCOUNT = String.raw`[ \t]*(?:user(?:name)?|login|account|host|server|port|from)[ \t]+[^\s:=]+[ \t]*`
const ABOVE = new RegExp(String.raw`(?:^|\n|\\n)${ACCOUNT}(?:\n|\\n)[ \t]*$`, 'i')
const BELOW = new RegExp(String.raw`^[ \t]+\S+[ \t]*(?:\n|\\n)${ACCOUNT}(?:\n|\\n|$)`, 'i')
/** A command that sets something. */
const SETS = /[ \t](?:--?)?(?:set|config\w*|add|create|register|put|update|change)[ \t][^\n"'`]*$/
/** Commands whose arguments are prose, or names. */
const TELLS = /[$%❯>#] (?:git|gh|glab|echo|npm|pnpm|yarn|rails|please|sudo echo)[ \t][^\n]*$/
/** True for a command as a terminal shows it. */
export const isAtPrompt = (before: string) =>
  /(?:^|\n|\\n|["'`])(?:[\w.@~:\\/-]{0,40}(?:[$❯]|(?<!\d)%)|>>>|In \[\d+\]:|[A-Za-z][\w.@~:\\/-]{0,40}[#>]|PS[^>\n]{0,60}>) \S[^\n]*$/.test(
    before,
  )
/** In a diff only behind the machine: a list has the same signs. */
const NETRC =
  /(?:^|[\s→]|\\n)login(?:\s|\\+[nrt]|\d+→)+[^\s\\]{1,64}(?:\s|\\+[nrt]|\d+→)+$|(?:machine\s+\S{1,64}|\bdefault)(?:\s[+-]?|\\+[nrt][+-]?)+login\s+[^\s\\]{1,64}(?:\s[+-]?|\\+[nrt][+-]?)+$/
const LOGIN = /(?:^|[\s→"'`(]|\\n)user(?:name)? (?!(?:and|or|with|the|a) )[\w.@+-]{1,64} (?:privilege \d{1,2} )?$/
/** What is before a password in SQL. */
export const SQL =
  /(?:\b(?:user|role|login|with|encrypted|alter|create|grant|identified|superuser)\b[^\n;]{0,80})[ \t]$/i
const DIRECTIVE = /(?:^|[\n"'`→=>]|\\n)[ \t]{0,8}$/
const KEYWORD = /[{(\s]:$|#[ \t]{0,2}define[ \t]+$|\((?:setq|setf|def|defvar|defconst|defparameter|define)[ \t]+$/
/** A cell that has the value alone: in a table, or after two spaces or a tab. */
const CELL = /^[`*]{0,3}[ \t]{0,60}[|│┃║][ \t]{0,60}(?=`?[^\s|│┃║`]{4,200}`?[ \t]{0,60}(?:[|│┃║\r\n]|\\n|$))/
const HTML_CELL =
  /^<\/(?:td|th|dt|b|strong|label|span|summary)>(?:\s{0,40}<(?:td|dd|code|span)(?:\s[^<>]{0,80})?>)?(?:<code>)?(?=[^\s<]{4,200}<)/
const COLUMN =
  /^(?: {2,60}|(?:\t|\\t){1,4})(?=[^\s"'`\\]{4,200}[ \t]{0,8}(?:[\r\n]|\\n|\\*"|$)|(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[A-Za-z\d]{12,200} {2})/
/** As Azure lists settings, below its heading, or below a row whose value was removed. */
export const SLOT = /^ {2,30}(?:True|False) {2,60}(?=[^\s"'`\\]{4,200}[ \t]{0,8}(?:[\r\n]|\\n|\\*"|$))/
const SLOTS = /SlotSetting +Value[ \t\r]*(?:\n|\\n)-+ +-+ +-+|\][ \t\r]*(?:\n|\\n)(?:\S+ {2,}(?:True|False) [^\n]*\n)*$/
/** Said of a name: `is`, `created: `, `is generated for ada: `, ` 1: `, or alone on the next line. */
const PROSE =
  /^(?:\?[ \t](?:[Ii]t(?:['’]s| is)[ \t])?|[ \t](?:changed|set|reset|updated|rotated) (?:from (?=\S+ to )|(?:from|to) (?=["'`]))|(?:[ \t](?:for|of)[ \t](?:(?:the|my|our)[ \t])?[\w./-]{2,30}(?=[ \t](?:is|was)[ \t]))?`?[ \t]{1,3}(?:is|was|ist|est|es|to|->|→|›|▸|►|➜|⇒|»|\.{3,40}:?)(?=[ \t:])[ \t:]{0,3}(?:(?:\r?\n|\\n){1,2}[ \t]{0,8})?|[ \t](?:[\w'/.@-]{1,40} ){0,6}(?:[\w'/.@-]{1,40}|'https?:[^\s']{1,80}')(?::| =)[ \t]|[ \t]\(|:(?:\r?\n|\\n){1,2}[ \t]{0,8}(?=[^\s\\]{12,200}[ \t]*(?:[\r\n\\]|$))|[ \t])(?:[„“«‚‘「]|[*_]{0,2})(?=[^\s<>|*\d]{0,60}\d|[A-Za-z]{2,20}[!#$%^&+~][A-Za-z]{2})(?=[^\s<>|*]{5})/
/** `-pass pass:…`, whose value has a name of its own, and other sources. */
const OPENSSL = /^[\w-]{0,20}pass(?:word|in|out)?[ \t]+(?:pass|env|file|fd):/
const SPACED = /^[ \t]{1,8}/
/** `--` or `-` before a name on a command line. */
export const FLAG = /(?:^|[\s"'`(=,[]|\\n)-{1,2}$/

/** Returns a notation, if it has a value. */
export const found = (kind: NotationKind, value: ValueText | null, sign = '', spaced = true): Notation | null =>
  value === null ? null : { kind, sign, spaced, value }

/** Reads what follows a name after a space: an option, a statement. */
export function bySpace(ahead: string, before: string, name: string): Notation | null {
  const space = SPACED.exec(ahead)?.[0]
  if (space === undefined) return null
  if (FLAG.test(before))
    return OPENSSL.test(name + ahead) ? null : found('flag', readValue(ahead, space.length, STOP_WORD), '-')
  const isQuoted = /^[ \t]+\\*["']/.test(ahead)
  const isOwn = isQuoted
    ? /^(?:store|key)Password$/.test(name)
    : /^(?:requirepass|masterauth|bindpw|rootpw)$/.test(name) && DIRECTIVE.test(before)
  const isLogin =
    GIVEN.test(before) ||
    NETRC.test(before) ||
    (LOGIN.test(before) && (/^ [^\s"'`]*\d/.test(ahead) || isAtPrompt(before)))
  const isOfAccount =
    /pass\w*$|pwd?$|secret$/i.test(name) &&
    DIRECTIVE.test(before) &&
    (ABOVE.test(before) || BELOW.test(ahead)) &&
    !/^[ \t]+\S*(?:pass|word|pwd)[ \t]*(?:[\r\n\\]|$)/i.test(ahead)
  // Any word may follow `set password`.
  const isSet =
    /(?:.pass|pass(?:word|wd|phrase)|pwd?)$/i.test(name) &&
    SETS.test(before) &&
    (/^ \S*[^\sA-Za-z]/.test(ahead) || /[a-z][A-Z]|[A-Z]{2}[a-z]|[._]/.test(name) || /--set \S+ \S+ $/.test(before)) &&
    isAtPrompt(before) &&
    !TELLS.test(before)
  const isOfDevice = name.includes('-') && DEVICE.test(before)
  if (STATEMENT.test(before) || isLogin || isOfDevice || isOfAccount || isSet || isOwn)
    return found('statement', readValue(ahead, space.length, STOP_LINE), ' ')
  const isClosed =
    /^[ \t]+(\\*["'])[^"'\n]{3,200}\1[ \t]*(?:;|\\?\r?\n|\\n|$)/.test(ahead) &&
    /(?:^|[\n{;]|\\n|\/set )[ \t]*(?:[\w]+\.)*$/.test(before)
  if (
    isQuoted &&
    (KEYWORD.test(before) ||
      (isClosed && /[._]|^pass(?:word|phrase)$/.test(name)) ||
      (/(?:password|secret|token)$/i.test(name) && SQL.test(before)))
  )
    return found('statement', readValue(ahead, space.length, STOP_WORD), ' ')
  return null
}

/** Reads the next cell of a table. */
export function byCell(ahead: string, before: string): Notation | null {
  const slot = SLOT.exec(ahead)
  const column = slot !== null && SLOTS.test(before) ? slot : COLUMN.exec(ahead)
  const cell = CELL.exec(ahead) ?? (column !== null && DIRECTIVE.test(before) ? column : null)
  if (cell !== null) return found('cell', readValue(ahead, cell[0].length, /[\s`|│┃║]|\\n|\\*"[\]},]/), '|')
  const html = HTML_CELL.exec(ahead)
  return html === null ? null : found('cell', readValue(ahead, html[0].length, /[\s<]/), '|')
}

/** Reads what a sentence says of a name. */
export function byProse(ahead: string, before: string): Notation | null {
  const prose = PROSE.exec(ahead)?.[0]
  if (prose === undefined || /[\w/.-]$/.test(before)) return null
  const isSaid = /^[`?]?[ \t]+(?:is|was|ist|est|es|to|it['’]s)\b|[ \t](?:is|was)[ \t]+$|[:=→] ?$/.test(prose)
  const value = readValue(ahead, prose.length, /[\s"'`<>“”»’」]|\\+["'`nrt]|[.,;:)*]+(?:\s|\\n|\\*["'`]|$)/)
  return found('prose', value, isSaid ? 'is' : ' ')
}
