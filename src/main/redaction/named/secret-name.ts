/**
 * How much a name says about its value. 'password' and 'secret': any value; 'token': any value where a name in a tokenizer is
 * not possible; 'weak': only a value that looks random; 'dsn': an address with credentials.
 */
export type NameKind = 'password' | 'secret' | 'token' | 'weak' | 'dsn'

const PASSWORD = /(?:password|passwd|passwort|passphrase|passcode|pwd)$/
const GLUED_PASS =
  /^(?:my|db|ssh|user|root|admin|ftp|smtp|mail|imap|store|key|login|sudo|auth|http|proxy|bind|ldap|mysql|pg|mongo|redis|rabbitmq|mssql|oracle|vpn|wifi|ftps|cert|truststore|keystore|jks|pem)pass$/
const PASSWORD_WORDS = words(
  'pw psk bindpw rootpw adminpw requirepass masterauth masteruserpassword wpapsk userpw dbpw',
)
const SECRET =
  /(?:^(?:client|app|consumer|jwt|shared|user|api|oauth|auth|session|cookie|webhook|hmac|site|my|the|db|bot|master|admin)?secret|apikey|authtoken|accesstoken|bearertoken|secretkey|privatekey|accesskey|signingkey|encryptionkey|authkey|masterkey|idtoken|identitytoken|registrytoken|refreshtoken|sessiontoken|securitytoken|presharedkey)$/
/** Words before `pass` that make it a password and not a result or a stage. */
const PASS_QUALIFIERS = words(
  'become db my ssh user root admin ftp smtp mail email imap pop store key login sudo auth http https proxy bind ldap mysql postgres pg sql mongo redis rabbitmq mssql oracle vpn wifi basic account database client server test default dev prod',
)
/** Words before `key` that make it a secret. */
const KEY_QUALIFIERS = words(
  `api signing sign master admin auth access private secret secretaccess encryption encrypt decryption crypto cipher aes hmac
  jwt service deploy deployment webhook subscription functions shared preshared psk ssh tls ssl license licence consumer app root superuser unseal
  recovery`,
)
/** Words before `key` that may as well name an entry. */
const WEAK_KEYS = words(
  `account storage application integration function host cookie session csrf rest write read ingest
  ingestion instrumentation server operator management signature vault project client user project team org x primary secondary`,
)
/** Words before `token` that make it a credential and not a tokenizer's. */
const TOKEN_QUALIFIERS = words(
  `api auth access bearer bot refresh id session security secret personal private oauth oauth2 deploy ci gh github gitlab npm
  slack csrf xsrf jwt webhook app user admin root master service account client server device push registration verification
  signing signed login web hf huggingface pypi vault consul nomad do digitalocean cf cloudflare aws gcp azure telegram discord
  anthropic openai vault forwarded sentry snyk sonar codecov circle travis heroku vercel netlify npmrc publish registry docker kube kubernetes
  join bootstrap agent runner project workspace team org upload download read write reset remember rememberme magic invite`,
)
/** Words before `pat` that make it a personal access token. */
const PAT_QUALIFIERS = words('github gh gitlab gl azure ado devops bitbucket tfs repo git notion airtable cr ghcr')
/** Words after a name that leave it what it is: `PASSWORD_PROD`, `secret_key_base`, `token2`. */
const SUFFIXES = words(
  `prod production dev development test testing staging stage stg qa uat live local main db database default base value val
  data str string raw plain plaintext text current new old prev previous primary secondary backup root admin user b64 base64
  hex env id1 a b c x us eu ro rw master slave replica app api web server client internal external remote key`,
)
/** Words after a name that make it something else: `token_type`, `PASSWORD_FILE`, `keyId`. Any unknown word is weak. */
const ELSE = words(
  `name names id ids type types url uri file files path paths dir folder length len size sizes count counts counter field fields
  label hint policy regex pattern expiry expires expiration expired ttl timeout min max limit limits prefix suffix format
  algorithm algo method mode version status state error errors valid invalid required enabled disabled reset changed provider
  manager service store storage endpoint input placeholder title message msg email form page view button icon class style color
  index idx pos offset start end kind usage budget window ref arn scope scopes issuer audience strategy generator validator
  checker callback handler map list set array table column row entry entries item items node tree stream reader writer parser
  lexer budget rate cost price limiter bucket holder request response rotation age strength rules rule criteria help info desc
  description comment note exists present missing mismatch match matches visibility toggle show hidden reveal command cmd
  func function fn cb helper util utils factory builder options option opts config settings setting loader resolver source src
  expansion separator delimiter sep char chars ratio kv pair pairs binding bindings event events code codes press pressed down
  ts tsx js jsx mjs cjs py go rs java rb md txt json yml yaml toml lock html css up hash hashed hasher salt digest fingerprint checksum order group groups space stdin`,
)
/** Words before a name that make it a question or a deed: `has_password`, `forgotPassword`. */
const DEEDS = words(
  `is has have had can should no not without use uses using get gets fetch forgot forgotten reset change changed changing update
  updated show hide enter invalid wrong missing require requires required need needs validate check verify generate create
  delete remove revoke allow allowed object translation i18n public primary foreign`,
)
/** Words before `token` that a tokenizer, a parser or a design system puts there. */
const GRAMMAR = words(
  `read parse next peek prev previous skip expect consume unexpected current last first start begin end close closing open
  opening eof comment keyword max min num total count per input output prompt completion cached cache reasoning special pad
  mask sep eos bos unk css design style color theme line newline block word sub estimate estimated used remaining cancel
  cancellation abort injection di`,
)

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

const cache = new Map<string, NameKind | null>()
const MAX_CACHED = 5_000

/** Returns what a name says about its value, or null for nothing. Accepts any case and any separators. */
export function nameKind(name: string): NameKind | null {
  const known = cache.get(name)
  if (known !== undefined) return known
  const kind = classify(splitName(name))
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(name, kind)
  return kind
}

/** Splits a name into its words in lower case: `dbPassword`, `DB_PASSWORD`, `db.password`. */
export function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([A-Za-z]{3})(\d+)(?![A-Za-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

function classify(parts: readonly string[]): NameKind | null {
  if ((parts[0] === 'x' || parts[0] === 'dd') && parts.length > 2 && /^(?:key|token|secret)$/.test(parts.at(-1) ?? ''))
    return 'secret'
  let end = parts.length
  let isSure = true
  while (end > 0) {
    const kind = kindOf(parts, end)
    if (kind !== null) return isSure ? kind : 'weak'
    const last = parts[end - 1] ?? ''
    if (ELSE.has(last)) return null
    if (!SUFFIXES.has(last) && !/^\d+$/.test(last)) isSure = false
    end -= 1
    if (parts.length - end > 3) return null
  }
  return null
}

/** Reads the words up to `end`, whose last one must say what the value is. */
function kindOf(parts: readonly string[], end: number): NameKind | null {
  const last = parts[end - 1] ?? ''
  const earlier = parts.slice(0, end - 1).filter((word) => !/^\d+$/.test(word))
  const before = earlier.at(-1) ?? ''
  const isDeed = earlier.some((word) => DEEDS.has(word))
  if (isPasswordWord(last) || (before === 'pass' && (last === 'phrase' || last === 'word' || last === 'code')))
    return isDeed ? 'weak' : 'password'
  if (last === 'pass') return before === '' || PASS_QUALIFIERS.has(before) ? 'password' : 'weak'
  if (SECRET.test(last) || last === 'credential' || last === 'cred') return isDeed ? 'weak' : 'secret'
  if (last === 'key') return keyKind(before, isDeed)
  if (last === 'token')
    return isDeed || GRAMMAR.has(before) ? 'weak' : TOKEN_QUALIFIERS.has(before) ? 'secret' : 'token'
  if (last === 'dsn') return 'dsn'
  if (last === 'pat' && end > 1) return PAT_QUALIFIERS.has(before) ? 'secret' : 'weak'
  return /^(?:secrets|passwords|credentials|creds|apikeys|auth)$/.test(last) ? 'weak' : null
}

function keyKind(before: string, isDeed: boolean): NameKind | null {
  if (!isDeed && KEY_QUALIFIERS.has(before)) return 'secret'
  return WEAK_KEYS.has(before) ? 'weak' : null
}

const isPasswordWord = (word: string) => PASSWORD.test(word) || PASSWORD_WORDS.has(word) || GLUED_PASS.test(word)
