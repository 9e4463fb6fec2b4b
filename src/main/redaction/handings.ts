import calls from '../../../resources/words/secret-calls.json' with { type: 'json' }
import places from '../../../resources/words/secret-places.json' with { type: 'json' }
import { listed } from './listed.ts'
import { CODE_HANDINGS } from './code-handings.ts'
import { LANGUAGE_HANDINGS } from './language-handings.ts'

/** A call, a statement or a word after which a secret comes, without its own name. */
export interface Handing {
  readonly anchors: readonly string[]
  /** Must match the text before the anchor. */
  readonly before?: RegExp
  /** Matches from the end of the anchor. Its first group is skipped, the second is the secret. */
  readonly value: RegExp
  /** The secret must have a letter and a digit: the same form is common in code and in texts. */
  readonly isMixed?: true
  /** It must look drawn at random, or like a password: nothing but the words around say so. */
  readonly isDrawn?: true
}

/** A literal in quotes, of at least this many characters; the quote may be escaped. */
const literal = (min: number) =>
  String.raw`(?:Some\(|\[\]byte\()?[bru]{0,2}\\{0,7}["'\x60])([^"'\x60\n\\]{${min},200})(?=\\{0,7}["'\x60])`
/** An argument of a call, by its place. */
const argument = (place: number, min: number) =>
  new RegExp(
    String.raw`^(\s{0,4}${['', String.raw`(?:[^,()\n]|\(\)){1,120},\s{0,4}`, String.raw`[^,()\n]{1,160},\s{0,4}[^,()\n]{1,80},\s{0,4}`][place - 1]}${literal(min)}`,
  )
/** Calls whose argument is a secret. */
const CALLS = calls as readonly (Omit<Handing, 'value'> & { readonly place: number; readonly min: number })[]

/** What registries, directories, servers, services, devices and tools of single trades print or take; `of` names them. */
const PLACES = (
  places as readonly (Pick<Handing, 'anchors' | 'isMixed' | 'isDrawn'> & {
    readonly of: string
    readonly before?: string
    readonly value: string
    readonly anyCase?: true
  })[]
).map(({ before, value, anyCase, ...handing }) => ({
  ...handing,
  ...(before === undefined ? {} : { before: new RegExp(before, anyCase && 'i') }),
  value: new RegExp(value, anyCase && 'i'),
}))

/** Every place that hands a secret without its name. */
export const HANDINGS: readonly Handing[] = [
  ...CALLS.map(({ place, min, ...handing }) => ({ ...handing, value: argument(place, min) })),
  { anchors: ['base64:'], before: /key\W{1,12}$/i, value: /^()([\w+/]{43}=)/ },
  { anchors: ['basic_auth '], value: /^(["'][^"'\n]{1,80}["'],\s{0,4}["'])([^"'\n\\]{3,200})(?=["'])/ },
  {
    anchors: ['CURLOPT_USERPWD', 'CURLOPT_PROXYUSERPWD'],
    value: /^(\s{0,4}(?:,|=>)\s{0,4}\\*["'][^"':\s]{1,80}:)([^"'\n\\]{2,200})(?=\\*["'])/,
  },
  // The sender of a mail: the second argument is the password, also if it has no digit.
  {
    anchors: ['.login('],
    value: new RegExp(String.raw`^(\s{0,4}\\{0,7}["'][^"'\s,]{1,80}@[^"'\s,]{1,80}["'],\s{0,4}${literal(4)}`),
  },
  {
    anchors: ['|| ', '?? '].flatMap((sign) => ['"', "'", '`', '\\"'].map((quote) => sign + quote)),
    before: /(?:env\.|env\[\\*["'])[A-Z\d_]*(?:SECRET|PASS|PASSWORD|PASSWD|TOKEN|KEY|PWD?)[A-Z\d_]*(?:\\*["']\])?\s$/i,
    value: /^()([^"'`\n\\]{4,200})(?=\\{0,7}["'`])/,
  },
  {
    anchors: ['IDENTIFIED ', 'identified '],
    before: /(?:\b|\\n)(?:create|alter|grant|connect)\b[^\n;]{0,120}$/i,
    value: /^((?:WITH \w{1,40} )?BY \\{0,7}["'])([^"'\x60\n\\]{2,200})(?=\\{0,7}["'])/i,
  },
  { anchors: ['mysql_real_connect('], value: new RegExp(String.raw`^((?:[^,()\n]{1,80},\s{0,4}){3}${literal(3)}`) },
  { anchors: ['jdbc:oracle:thin:', 'jdbc:oracle:oci:'], value: /^([\w$#]{1,60}\/)([^\s"'`/]{2,100})(?=@)/ },
  {
    anchors: ['*:*:*:'],
    value: /^([\w.*-]{1,60}:)([^\s"'`\\:]{3,200})(?=[\r\n"'`]|\\n|$)/,
  },
  {
    anchors: [':*:'],
    before: /(?:^|[\s"'`]|\\n)[\w.*-]{1,60}$/,
    value: /^([\w.*-]{1,60}:[\w.*-]{1,60}:)([^\s"'`\\:]{3,200})(?=[\r\n"'`]|\\n|$)/,
    isMixed: true,
  },
  {
    anchors: ['"value"', '"value\\'],
    before: /"(?:name\\*"\s{0,4}:\s{0,4}\\*"[^"\n]{1,80}|key\\*"\s{0,4}:\s{0,4}\\*"value)\\*",\s{0,20}\\*$/,
    value:
      /^(\\*"?\s{0,4}:\s{0,4}\\*")([^"\\\s]{12,380})(?=\\*"\s{0,4},\s{0,20}\\*"(?:domain|path|expires|httpOnly|type)\\*")/,
    isMixed: true,
  },
  { anchors: ['crypt('], value: /^(\s{0,4}')([^'\n\\]{4,200})(?='\s{0,4},\s{0,4}gen_salt)/ },
  {
    anchors: ['encoded"', 'encoded\\"'],
    value: /^(\s{0,4}:\s{0,4}\\{0,7}")([\w+/]{40,400}={0,2})(?=\\{0,7}")/,
    isMixed: true,
  },
  { anchors: ['ACCESSKEY'], value: /^(\s{1,8}A[KS]IA[A-Z2-7]{16}\s{1,8}\S{1,40}\s{1,8})([\w+/]{40})\b/ },
  {
    anchors: ['PIN', 'pin'],
    before: /\b(?:enter|your|my|our|her|his|their|user|new|card|the|is|SIM|phone|device|alarm|door) $/i,
    value: /^((?: (?:code|number))?(?: for [^\n:]{1,40})?(?:: | is ))(\d{4,8})(?![\w-]|\.\w)/,
  },
  {
    anchors: ['basic.auth.user.info'],
    value: /^([\s"']{0,4}[:=][\s"']{0,4}[\w+./-]{2,80}:)([^\s"'\\]{8,200})/,
  },
  {
    anchors: ['PSCredential('],
    value: /^([^\n"']{0,20}["'][^\n"']{1,80}["'],\s{0,4}\(\\{0,7}["'])([^"'\n\\$]{4,200})(?=\\{0,7}["'])/,
  },
  { anchors: ['Unseal Key '], value: /^(\d{1,2}(?: \(\w{1,20}\))?:[ \t]{1,8})([\w+/=]{40,200})/ },
  { anchors: ['PSK ', 'EAP ', 'XAUTH '], before: /[:\s]$/, value: /^(\\{0,7}")([^"\n\\]{4,200})(?=\\{0,7}")/ },
  { anchors: ['openweathermap.org/'], value: /^([^\s"'`<>]{0,200}[?&]appid=)([0-9a-f]{32})\b/ },
  { anchors: ['PRAGMA key', 'pragma key'], value: /^(\s?=\s?\\{0,7}["'])([^"'\n\\]{4,200})(?=\\{0,7}["'])/ },
  { anchors: ['stats auth '], value: /^(\w{1,40}:)([^\s"'\\]{4,100})/ },
  // What a script types when it is asked.
  {
    anchors: ['send ', 'sendline(', 'send('],
    before: /ass(?:word|phrase)[^\n]{0,20}(?:[\n;{]|\\+n)[ \t]*(?:\w{1,20}\.)?$/i,
    value: /^((?:-- )?\\{0,7}["'])([^"'\n\\$]{3,100})(?=\\{0,7}[rn]?\\{0,7}["'])/,
  },
  {
    anchors: ['-output name=', '-state name='],
    value: /^([\w-]{0,30}(?:token|password|secret|key)::)([^\s"'`$*]{4,300})/i,
  },
  {
    anchors: ["option key '"],
    before: /(?:^|\n|\\n)[ \t]*$/,
    value: /^()([^'\n\\]{5,200})(?='[ \t]*(?:[\r\n]|\\n|$))/,
  },
  // Four times four letters, alone on its line.
  {
    anchors: listed('assword|ASSWORD|pass:|pass=|pass":|pass\\":|_PASS='),
    value:
      /^([^A-Za-z\n]{0,8}(?:is )?["'`]?)(?!.{0,19}\b(?:auth|been|code|fail|from|have|here|into|must|name|need|none|null|only|pass|test|that|then|this|true|used|user|when|will|with|word|your)\b)([a-z]{4}(?: [a-z]{4}){3})(?=\\{0,7}["'`]|[,;]?[ \t]*(?:[\r\n]|\\n|$))/,
  },
  // Codes that a device is let in with.
  {
    anchors: ['evice_code', 'eviceCode', 'ser_code', 'serCode', 'one-time code'],
    value: /^(\\*["']?\s{0,4}[=:]\s{0,4}\\*["']?)([A-Za-z0-9][\w.-]{6,390})(?![\w(])/,
    isMixed: true,
  },
  { anchors: ['ser_code', 'serCode'], value: /^(\\*["']?\s{0,4}[=:]\s{0,4}\\*["']?)([A-Z\d]{4}-[A-Z\d]{4})\b/ },
  {
    anchors: ['code_verifier', 'codeVerifier'],
    value: /^(\\*["']?\s?[=:]\s?\\*["']?)([\w.~-]{43,128})/,
    isMixed: true,
  },
  // What Terraform drew at random.
  {
    anchors: ['"result"', '"result\\'],
    before:
      /"(?:length|numeric|number|keepers|min_upper|override_special)\\*"\s{0,12}:\s{0,4}(?:\\*"[^"\n]{0,80}|[^:\n]{1,60})(?:\s|\\n|[",\\]){0,40}$/,
    value:
      /^(\\*"?\s{0,12}:\s{0,4}\\*")([^"\n\\]{8,200})(?=\\*",(?:\s|\\n){0,20}\\*"special\\*"\s{0,12}:\s{0,4}(?:true|false)\b)/,
  },
  {
    anchors: ['"random_password', '"bcrypt_hash'],
    value: /^([^}]{0,300}\bresult\\*"?\s{0,12}[=:]\s{0,4}\\*")([^"\n\\]{4,200})(?=\\*")/,
  },
  {
    anchors: ['PASSWORD FOR ', 'password for '],
    value: /^([^\n=]{1,120}=\s{0,4}(?:PASSWORD\()?')([^'\n\\]{2,200})(?=')/,
  },
  // A line of chap-secrets.
  {
    anchors: ['*\t"', '* "', '*\\t\\"', '* \\"'],
    before: /[\w"](?:[ \t]|\\t)$/,
    value: /^()([^"\n\\]{3,200})(?=\\{0,7}"(?:[ \t]|\\t){1,9}[*\d])/,
  },
  // Dialogues of FTP, POP3, Redis, IMAP and IRC.
  {
    anchors: ['PASS '],
    before: /(?:^|[\n→> ]|\\n)$/,
    value: /^(:?)([^\s"'`]{4,100})(?=[ \t]*(?:[\r\n]|\\[rn]|$))/,
    isMixed: true,
  },
  {
    anchors: ['AUTH '],
    before: /(?:^|[\n>→"':]|\\n|redis-cli[^\n]{0,60})[ \t]{0,4}$/,
    value:
      /^(?!(?:CRAM|DIGEST|SCRAM|SHA)-|\w+\d["']?$)((?:(?:PLAIN|LOGIN|\w{1,30})[ \t]+)?["']?)([^\s"'`]{6,200})(?=["']?[ \t]*(?:["'\r\n]|\\[rn"]|$))/,
    isMixed: true,
  },
  {
    anchors: ['LOGIN '],
    before: /(?:^|[\n>"']|\\n)[A-Za-z]{0,4}\d{1,5} $/,
    value: /^([^\s"']{1,80} ["']?)([^\s"']{3,100})/,
  },
  {
    anchors: ['IDENTIFY '],
    value: /^((?:[A-Za-z]\w{1,30} )?)([^\s"'`]{4,100})(?=[ \t]*(?:[\r\n]|\\n|$))/,
    isMixed: true,
  },
  {
    anchors: ['nter passphrase for ', 'nter password for '],
    value: /^([^\n:]{1,120}: )([^\s"'\\]{4,100})(?=[\r\n"\\]|$)/,
  },
  { anchors: ['{PLAIN}', '{CLEAR}', '{CLEARTEXT}'], value: /^()([^\s"'`\\:,]{3,100})/ },
  // A file of credentials for Kaggle.
  {
    anchors: ['username'],
    value: /^(\\*"\s{0,4}:\s{0,4}\\*"[^"\\]{1,80}\\*",\s{0,4}\\*"key\\*"\s{0,4}:\s{0,4}\\*")([0-9a-f]{32})(?=\\*")/,
  },
  // A user and a password, after the word for both.
  {
    anchors: listed(
      'reds|redentials|og in |ogin |ogin: |ign in |ssh in |ogged in |uth-user-pass: |ccount: |ugangsdaten|WLAN:|SSH:|RDP:|VPN:|FTP:|WiFi:|Wifi:|wifi:|Wi-Fi:',
    ),
    value:
      /^([ \t]?(?:(?:[^\n]{0,80}?[ \t])?(?:as|with|using|mit|als)[ \t]|(?:(?:are|is|to|for|as)[ \t])?(?:[A-Za-z]{1,20}[ \t]){0,2}?|[ \t]for[ \t](?:[\w-]{1,20}[ \t]){0,4}[\w-]{1,20}(?=:))[:=→]?[ \t]{0,3}["'`]?[\w.@+][\w.@+-]{1,39}["'`]?(?:[ \t]?[/:|,][ \t]?|[ \t](?:and|with|und|mit)[ \t](?:the[ \t])?(?:password[ \t])?|[ \t])["'`]?)([^\s"'`<>\\]{8,100}?)(?=[.,;:?)]?(?:["'`\s\\]|$))/,
    isDrawn: true,
  },
  {
    anchors: listed('reds: |redentials: |ogin: |reds are |redentials are |ugangsdaten: |nmeldedaten: '),
    value:
      /^(["'`]?[\w.@+-]{2,40}["'`]?(?: \/ |:)["'`]?)(?!\w*(?:auth|saml|http)\d)([A-Za-z][^\s"'`<>\\/]{5,100}?\d\d[!?]?)(?=[.,;:)]?(?:["'`\s\\]|$))/,
  },
  { anchors: ['.auth('], value: /^(\\{0,7}["'])([^"'`\n\\]{6,200})(?=\\{0,7}["']\))/, isDrawn: true },
  ...CODE_HANDINGS,
  ...LANGUAGE_HANDINGS,
  ...PLACES,
  {
    anchors: ['use ', 'Use ', 'using ', 'Try '],
    value:
      /^(\\{0,7}["'`](?=[^"'`\n\\]{6,80}\\{0,7}["'`])|(?![A-Za-z]{1,5}[-_]?\d{1,4}[\s"'`]|(?:sha|oauth|argon|b?crypt|base|keccak|blake|chacha|pbkdf|version)[\w-]*[\s"'`]))((?<=["'`])[^"'`\n\\]{6,80}|[^\s"'`\\]{4,60})(?=\\{0,7}["'`]? (?:as|for) (?:(?:the|your|my|its|a) )?(?:\w{2,16} )?(?:password|passphrase|pwd?)\b)/,
    isMixed: true,
  },
]
