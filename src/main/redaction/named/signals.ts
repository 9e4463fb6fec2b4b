import words from '../../../../resources/words/secret-values.json' with { type: 'json' }
import { decodesToPair } from '../http/base64-pair.ts'
import type { Candidate } from './candidate.ts'
import {
  followsCode,
  isAmidCode,
  isExpression,
  isIdentifierText,
  isInRow,
  isNoName,
  isNumberedPair,
  isSetAmidSettings,
  namesVariable,
} from './code.ts'
import { isLineOrEntry, isOwnUuid } from './counted.ts'
import { isDrawn } from './nearby.ts'
import { isPlaceholder, isReference } from './placeholder.ts'
import { changesCase, changesClassOften, isDigest, isHexKey, looksRandom, mixesDigits, wordShare } from './strength.ts'
import { goesOn, inSentence, isBesideUser, isLeet, isSelector, isStrong, isTold, isWord } from './told.ts'
import { wordSet } from './word-set.ts'

/** Checks a property of a candidate. A pattern is tested on the value. */
type Test = RegExp | ((it: Candidate) => boolean)

/** A signal for or against a value being secret. signal-samples.json shows what changes without it. */
export interface Signal {
  readonly name: string
  /** The candidates that it applies to. */
  readonly on: (it: Candidate) => boolean
  readonly test: Test
  readonly weight: number
}

/** The weight of a signal that nothing outweighs. These come first, since most values need no others. */
export const NEVER = -100

const OPTIONS = wordSet(words.options)

const any = () => true
const quoted = ({ isQuoted }: Candidate) => isQuoted
const bare =
  (...forms: readonly Candidate['form'][]) =>
  ({ isQuoted, form }: Candidate) =>
    !isQuoted && forms.includes(form)
const line = bare('line')
const identifier = (it: Candidate) =>
  line(it) &&
  it.use !== 'told' &&
  !isPrinted(it) &&
  !isInRow(it) &&
  /^[&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]*)*(?:(?<!\d)[!?])?$/.test(it.value)
/** `[password] => …`, as PHP prints an array; the default of a template: `${db.password:…}`. */
const isPrinted = ({ sign, own, rest }: Candidate) =>
  (sign === '=>' && own.trim() === '[') || (/\$\{[\w.]*$/.test(own) && rest.startsWith('}'))
const several = (it: Candidate) => it.isQuoted && /\s/.test(it.said)

/** Signals with the same weight about the same candidates. */
const signals = (weight: number, on: Signal['on'], tests: { readonly [name: string]: Test }): Signal[] =>
  Object.entries(tests).map(([name, test]) => ({ name, on, test, weight }))

/** Every signal. `judge-value.ts` adds up the weights of those that apply. */
export const SIGNALS: readonly Signal[] = [
  // Never a secret.
  ...signals(NEVER, any, {
    'a placeholder or a template': ({ value }) => isPlaceholder(value),
    'where the secret is': ({ value }) => isReference(value),
    'a line of a file, or a key of a cache': isLineOrEntry,
    'the name of a secret': /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIALS)$/,
    'the id of a key': ({ name, value }) =>
      /(?:gpg|signing)[-_]?key$/i.test(name) && /^(?:0x)?(?:[\dA-F]{8}|[\dA-F]{16}|[\dA-F]{40})$/.test(value),
    'a number': isPlainNumber,
    'a colour': (it) => it.kind !== 'password' && /^#[\da-f]{3,8}$/i.test(it.value),
    'the end of a string': ({ before, sign, use, own }) =>
      // Not `profile::db::password: …`, as Puppet keeps it.
      (!/^\s*(?:[a-z]\w*::)+$/.test(own) &&
        ((use === 'given' && before.endsWith('::')) ||
          (sign === ':' && before.endsWith(':') && !/(?:\.\w{1,12}|\w:\d{1,6}|(?:^|\n)\d{1,6}):$/.test(before)))) ||
      /\?\s*["'`]$/.test(before),
  }),
  ...signals(NEVER, ({ isQuoted }) => !isQuoted, {
    'open at its end, or signs': /[.{(]$|^[&|?!@^~=<>%]+$|^[[({]/,
  }),
  ...signals(NEVER, ({ kind, use }) => kind === 'weak' || kind === 'token' || use === 'passed', {
    'a digest': (it) => isDigest(it.value) && !isOwnUuid(it),
  }),
  ...signals(NEVER, (it) => /(?:key|token)$/i.test(it.name) || (bare('query')(it) && it.kind !== 'password'), {
    'too short for a key': /^.{0,3}$/,
  }),

  // Never secret in its notation.
  ...signals(NEVER, ({ use, kind }) => use === 'passed' && kind !== 'weak', {
    'a slug or a template': (it) =>
      /\$[A-Za-z_{(]|^\{/.test(it.value) || (/^[a-z]+(?:[-_.][a-z\d]+)+$/i.test(it.value) && !isTold(it)),
  }),
  // Results of tests: `--- PASS: TestDoor/7 (0.00s)`.
  ...signals(NEVER, (it) => line(it) && /(?:^|_)pass$/i.test(it.name), {
    'the name of a test': ({ rest, own }) => /^\s*(?:\(|::)/.test(rest) || /(?:---|[✓✔])\s*$/.test(own),
  }),
  // `All gates pass: \`tsc\``, `-Pass \`rows\` to the function`.
  ...signals(NEVER, (it) => it.isQuoted && /^pass$/i.test(it.name), {
    'what passes, or is passed': (it) =>
      it.quote.endsWith('`') && (/(?:^|[\s>])-$|[a-z—–][ \t]+$/.test(it.own) || /^ [a-z]/.test(it.rest)) && !isTold(it),
  }),
  // `eas secret:create`.
  ...signals(NEVER, (it) => line(it) && it.sign === ':' && !it.spaced, {
    'a command for it':
      /^(?:create|list|ls|set|get|add|delete|remove|rm|push|pull|show|generate|rotate|reset|update|import|export|bulk)$/,
  }),
  ...signals(NEVER, bare('flag'), {
    'a name after a command for secrets': ({ before, name }) =>
      name === 'secret' && /\b(?:gcloud|kubectl)\s[^\n]{0,200}$/.test(before),
    'what help says of an option': ({ value }) => OPTIONS.has(value) || /^[A-Z_]+$|^[[(<{$]/.test(value),
  }),
  ...signals(NEVER, (it) => bare('flag')(it) && it.sign === '-', {
    'another option, or prose': goesOn,
  }),
  ...signals(NEVER, (it) => bare('flag')(it) && it.kind === 'token', {
    'words joined by hyphens': /^[A-Za-z]{2,}(?:-[A-Za-z]{2,})+$/,
  }),
  // Not a field of a connection.
  ...signals(NEVER, (it) => bare('query')(it) && !(it.isMixed && it.own.endsWith(';')), {
    'code in a query': /\(|\[.*\]|\{.*\}|[[{]$/,
  }),
  ...signals(NEVER, bare('statement'), { 'an option of the statement': /^-/ }),
  ...signals(NEVER, ({ form }) => form === 'cell', {
    // What a vault prints has a head of its own.
    'a cell without a digit, or of a type': ({ isMixed, value, before }) =>
      (!isMixed && !(value.length > 9 && changesCase(value)) && !/\bKey +Value\s+-+ +-+\s/.test(before)) ||
      /^[a-z]+\(|\d\)$|;$/.test(value),
  }),
  ...signals(NEVER, ({ use, kind }) => use === 'told' && kind === 'weak', {
    'a sentence about something else': ({ value, name }) =>
      !(/^keys?$|^[A-Z\d]+_[A-Z\d_]+$/i.test(name) && value.length >= 20 && isDrawn(value)),
  }),
  ...signals(NEVER, bare('shell'), {
    'a pattern of a stream editor': /^\.[*+]/,
    'another variable': ({ value, name }) => /^[A-Z][A-Z\d]*_[A-Z_\d]+$/.test(value) || value === name,
  }),

  // A program or a sentence in which the value has no quotes.
  ...signals(NEVER, line, {
    'a call, a constant or a role': (it) =>
      !/^(?=\w*\d)(?=\w*[A-Z])[A-Za-z\d]{2,}\$\w+$/.test(it.value) &&
      /\$[A-Za-z_{(]|^[\w$.:]+[({]|^[A-Z][A-Z\d]*(?:_[A-Z\d]+){2,}$|^:\w+:/.test(it.value),
    'an expression': isExpression,
    'a word in a sentence': inSentence,
    'a type with its parameters': ({ rest, value }) => /^[A-Z]\w*$/.test(value) && /^<[\w<>&', ]{1,60}>/.test(rest),
    'a pattern without quotes': /^\.[*+]|\[\^/,
    'signs that emphasise': /^[*_]+$/,
    'one letter': /^.$/,
  }),
  ...signals(NEVER, (it) => line(it) && (it.kind === 'token' || it.kind === 'weak'), {
    'a word': (it) => isWord(it) || (it.kind === 'token' && !/\d/.test(it.value)),
  }),

  // Sufficient under any name.
  ...signals(10, ({ kind, use }) => kind === 'weak' && use !== 'compared', {
    random: (it) =>
      (it.value.length >= 16 || (it.sign === '=' && isDrawn(it.value))) &&
      it.isMixed &&
      looksRandom(it.value) &&
      (it.use !== 'given' || it.form === 'query' || !/^[\da-f]+$/i.test(it.value) || isHexKey(it.name, it.value)),
    'the pass of an environment': ({ name, sign, spaced, value, isMixed }) =>
      /^[:=]$/.test(sign) &&
      isMixed &&
      (/^[A-Z\d_]+_PASS$/.test(name)
        ? !/^[A-Za-z]+_?\d$|^\d+\D?\d+$|^[\da-f]+$/.test(value)
        : /[\da-z]\.pass$/.test(name) && !spaced && /^(?=.*[a-z])(?=.*[A-Z]).*\d\d/.test(value)),
    'the login of an environment': ({ name, sign, value, isMixed }) =>
      /^[A-Z\d_]+_AUTH$/.test(name) && /^[:= ]$/.test(sign) && isMixed && !/^[A-Za-z]+_?\d$|\d\.\d/.test(value),
    'a name and a password in base64': ({ name, value }) =>
      /auth$/i.test(name) && value.length >= 6 && decodesToPair(value),
  }),
  ...signals(10, ({ kind, use }) => kind === 'token' && use === 'given', {
    'more than a word of a grammar': isToken,
  }),
  ...signals(10, ({ kind }) => kind === 'dsn', {
    'the password of an address': () => true,
  }),
  ...signals(10, (it) => it.kind !== 'weak' && it.use !== 'given' && it.use !== 'told' && !it.isNameEnough, {
    strong: (it) => isStrong(it) || isTold(it),
  }),
  ...signals(10, ({ use }) => use === 'told', {
    'a password in a sentence': isTold,
  }),

  // A program, with more or less certainty.
  ...signals(-1, identifier, {
    'camel case': (it) =>
      /[a-z][A-Z]\w*[a-z]/.test(it.value) &&
      it.words > (it.isMixed ? 0.65 : 0.5) &&
      !isDrawn(it.value) &&
      !(it.value.length > 9 && changesCase(it.value)),
    'a member': (it) => /^[&*!]|[!?]$|[.>:]/.test(it.value) && !isSetAmidSettings(it),
    'a type, or a variable of that name': namesVariable,
    'code before it': followsCode,
    'code after it': ({ rest }) =>
      /^\s*(?:[;)\]}{,]|\/\/(?![\w+/]{38})|\/\*|(?:if|else|or|and|\?|\|\||&&|\+|==|in|is|for|unless|as)\s)/.test(rest),
    'code around it': isAmidCode,
  }),
  ...signals(4, identifier, {
    'digits where a name has none': (it) =>
      isNoName(it) ||
      (it.kind === 'password' &&
        (/^[A-Za-z]+[a-z]\d{3,6}[!?]?$|^[A-Z][a-z]+_[A-Z][a-z]+\d\d$/.test(it.value) || isNumberedPair(it))),
  }),
  ...signals(1, identifier, {
    'a setting without space': (it) =>
      it.kind === 'password' &&
      it.sign === '=' &&
      !it.spaced &&
      it.rest === '' &&
      it.own === '' &&
      /^[A-Z]/.test(it.value),
    'a label before it': (it) =>
      it.kind === 'password' &&
      it.sign === ':' &&
      it.rest === '' &&
      /^[A-Z]/.test(it.value) &&
      /^[\s>*-]*(?:[a-z]+ ){1,3}$/i.test(it.own) &&
      !followsCode(it),
  }),
  // Settings in YAML: a program writes a comma, or an object in lower case.
  ...signals(2, (it) => identifier(it) && it.sign === ':' && it.rest === '' && !/[a-z]/.test(it.name), {
    'a value with digits in a list of settings': ({ isMixed }) => isMixed,
  }),

  // Text for people, and names of things, in quotes.
  ...signals(-20, quoted, {
    'a pattern': ({ said }) =>
      !isDrawn(said) &&
      /^$|\[[!^-]?[a-zA-Z]-[a-zA-Z]|~0-9a-zA-Z|\(\?[:=!<]|\[\^|\][+*?{]|\\[dwsbS]|\.[*+][?)]|\{\d*\}|%[sd](?![a-z])/.test(
        said,
      ),
  }),
  ...signals(-20, quoted, {
    'rules of a validator':
      /^(?=(?:.*\|)?(?:required|nullable|sometimes|confirmed|string|m(?:in|ax):\d+)(?:\||$))[\w:,.]+(?:\|[\w:,.]+)+$/,
  }),
  ...signals(-3, ({ name }) => /(?:key|token|^pass)$/i.test(name), {
    'spaces under a name of a key': (it) =>
      /\s/.test(it.value) && !(it.isMixed && (isBesideUser(it) || isLeet(it.value))),
  }),
  ...signals(-1, quoted, {
    'an identifier': isIdentifierText,
    'only signs': ({ said, kind }) => /^[^A-Za-z0-9\s]+$/.test(said) && (kind !== 'password' || said.length < 6),
    'a selector': isSelector,
  }),
  ...signals(-1, (it) => it.isQuoted || line(it), {
    'another script': ({ said, sign, spaced, isQuoted }) =>
      (!/\d/.test(said) &&
        (sign === '=' && !spaced && !isQuoted ? /[\u0080-\u00bf\u0250-\u{10ffff}]/u : /[\u0080-\u{10ffff}]/u).test(
          said,
        )) ||
      /[\u3040-\u{10ffff}]{3}/u.test(said),
    'a label':
      /^(?:Pass?wor[dt]e?s?|Kennwort|Senha|Wachtwoord|Contrasena|Parola|Salasana|Heslo|Geslo|Lozinka|Secret|Token|Key|Geheim[a-z]*|Adgangskode|Passord|Jelszo|Parool|Login|Required|Forgot[a-z]*|Invalid|Optional|Hidden|Auth[a-z]*|Credentials?)$/,
  }),
  ...signals(-1, several, {
    'words of a message': ({ said }) =>
      /password|passwd|passphrase|secret|token|credential|\b(?:key|the|is|your|must|to|of|for|please|will|be|this|are|not|with|when|you)\b/i.test(
        said,
      ),
    'a title': ({ said }) => /^[A-Z][a-z']*(?: [A-Za-z'’(),.-]+)+[.!?:…]?$/.test(said),
    'signs of a sentence, or many words': ({ said }) => /[,;{}()]\s|\s{2}|=>|==|(?:\s+\S+){8}/.test(said),
    'words for a function': ({ kind, use }) => kind === 'weak' || use === 'set' || use === 'passed',
  }),
  ...signals(1, (it) => it.isQuoted && it.kind === 'password', {
    'a few random words': ({ said }) =>
      mixesDigits(said) && (wordShare(said) < 0.5 || changesClassOften(said)) && !/(?:\s+\S+){4}/.test(said),
  }),
  ...signals(6, quoted, {
    'long and random': ({ value, isMixed, words: share }) => value.length >= 20 && isMixed && share < 0.5,
  }),
]

/** True for a size, a limit or a count. Digits alone make a password. */
function isPlainNumber({ value, kind, isQuoted }: Candidate): boolean {
  if (/^0x[\da-f]{1,8}$|^\d+(?:\.\d+){3,}$|^\d{4}-\d\d-\d\dT[\d:.]+Z?$/i.test(value)) return true
  if (!/^[+-]?[\d_.,]+(?:e\d+)?[a-z%]{0,2}$/i.test(value)) return false
  const isSure = kind === 'password' || kind === 'secret'
  if (isSure ? /^\d+\.\d+$/.test(value) : !isQuoted) return true
  return value.replaceAll(/\D/g, '').length < (kind === 'password' || (isSure && isQuoted) ? 4 : 6)
}

/** `token` alone is also a term in tokenizers, parsers and themes. */
function isToken({ value, name, form, isMixed, words: share }: Candidate): boolean {
  if (!/[a-z]/.test(name) || form === 'query' || form === 'flag') return value.length >= (/[a-z]/.test(name) ? 6 : 4)
  return isMixed ? value.length >= 6 && share < 0.8 : value.length >= 12 && looksRandom(value)
}
