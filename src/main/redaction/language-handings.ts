import names from '../../../resources/words/secret-names.json' with { type: 'json' }
import { listed } from './listed.ts'
import type { Handing } from './handings.ts'

/** Quotes of any language, and the end of a word in one that writes without spaces. */
const OPENING = String.raw`(?:\\{0,7}["'\x60]|[«»„“”‚‘「『](?:\s|\u00a0|\u202f)?)?`
const SAID_WORD =
  String.raw`((?:(?![,.;)]{1,3}(?:["'\x60]|\s|$|[^\x00-\u024f]))` +
  String.raw`[^\s"'\x60\\<>«»„“”‚‘’「」『』\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]){4,100})`
/** Said of a password in other languages: `lautet X`, `est « X »`, `是「X」`, `は X です`, `от базы: X`; alone, no `sha256`. */
const SAID = new RegExp(
  String.raw`^((?:(?:(?:は|는|은)(?!\s{0,3}[A-Za-z]{1,8}[-_]?\d{1,4}(?!です|だ|입니다|[\w!#$%&*+=?~@-]))|(?:et|en|n)?[ \t](?:[^\s:=：]{1,20}[ \t]){0,6}(?:lautet|on|wäre|war|heißt|est|es|é|è|jest|je|är|to|ist|är|er|is)|是|为|為)(?:\s{0,2}[:=：])?` +
    String.raw`|(?:[ \t][^\s:=：]{1,20}){0,3}\s{0,2}[:=：—–]|(?!\s{0,3}${OPENING}[A-Za-z]{1,8}[-_]?\d{1,4}(?![\w!#$%&*+=?~@-])))` +
    String.raw`(?:\s|\u00a0|\u202f){0,3}${OPENING})${SAID_WORD}`,
)

/** Passwords after the word for it in other languages. */
export const LANGUAGE_HANDINGS: readonly Handing[] = [
  {
    anchors: names.in_other_languages.flatMap(listed),
    value: SAID,
    isMixed: true,
  },
  {
    anchors: names.in_chinese_and_japanese
      .flatMap(listed)
      .flatMap((name) => [...'：:=是为為は'].map((sign) => name + sign)),
    value: new RegExp(String.raw`^(?![A-Za-z]{1,8}[-_]?\d{1,4}[\u3040-\u9fff])([:：]?\s{0,3}${OPENING})${SAID_WORD}`),
    isMixed: true,
  },
  // Of what it is, and no sign: it must look drawn at random, or like a password.
  {
    anchors: listed('пароль|Пароль|contraseña|senha|mot de passe|hasło|heslo|wachtwoord|asswort|clave'),
    value: new RegExp(
      String.raw`^([ \t](?:от|для|к|do|od|de|del|da|du|pour|para|voor|van|für|vom|zum)[ \t](?:[^\s:=：]{1,20}[ \t]){1,3}?${OPENING}|[ \t](?:(?:bitte |wieder |jetzt )?auf|à|ist (?:jetzt|nun))[ \t]${OPENING})${SAID_WORD}`,
    ),
    isDrawn: true,
  },
  {
    anchors: listed(
      'Clave es|Clave de|Clave:|clave del|chlüssel|API-ключ|clé API|clé secrète|clave API|clave secreta|chiave segreta|chave secreta|chiave API|API-sleutel|klucz API|chave de API|токен|Токен',
    ),
    value: SAID,
    isDrawn: true,
  },
  {
    anchors: ['asswort auf ', 'ennwort auf '],
    value: new RegExp(String.raw`^(${OPENING})${SAID_WORD}(?=[^\w\n]{0,3} (?:zurück|um)?ge\S+)`),
    isMixed: true,
  },
  {
    anchors: ['pw is ', 'PW is ', 'pw ist ', 'PW ist '],
    value: new RegExp(`^(${OPENING})${SAID_WORD}`),
    isMixed: true,
  },
]
