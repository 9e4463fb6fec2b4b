import words from '../../../../resources/words/secret-values.json' with { type: 'json' }
import { mixesDigits, wordShare } from './strength.ts'
import { wordSet } from './word-set.ts'

/** Values that documentation, templates and defaults use in place of a secret, in lower case. */
const PLACEHOLDERS = wordSet(words.placeholders)
/** Published by Amazon as examples, in every guide to its services. */
const PUBLISHED = wordSet(words.published)

/** `test_key`, `sk-test-123`, `phc_your_production_key`, `unit-test-secret`: no issuer writes keys so. */
const SAYS_TEST = wordSet(words.test)
const WITH_TEST = wordSet(words.besideTest)
/** `32-byte-hex-key`, `base64-encoded-secret`: what a value looks like. */
const DESCRIBED =
  /(?:^|[-_ ])(?:encoded|\d{1,4}[-_ ]?(?:bytes?|bits?|chars?|characters?))(?:[-_ ][A-Za-z]{1,12}){0,5}[-_ ](?:secret|key|token|password|passphrase|string|value|hex|seed|salt|credentials?|long)$/i
/** `AAABBBCCC`, `abcSECRETxyz`, `SEC123`: letters that only fill a place. */
const FILLED =
  /^(?:([A-Za-z])\1{2,})+$|^(?:foo|bar|baz|qux)(?:[-_.]?(?:foo|bar|baz|qux))*$|^(?:(?:abc|def|ghi|xyz|foo|bar|baz|qux)+[-_]?(?:secret|token|key|password)[-_]?(?:abc|def|ghi|xyz|foo|bar|baz|qux)*|(?:secret|token|key|password)[-_]?(?:abc|def|ghi|xyz|foo|bar|baz|qux)+|(?:SEC|TOK|KEY)[-_]?\d{1,3})$/i

/** True for words that say of themselves that they are a test: no word but `test` and what people write beside it. */
function saysTest(value: string): boolean {
  if (value.length > 64 || !/^[A-Za-z][A-Za-z\d]*(?:[-_. ][A-Za-z\d]+)*$/.test(value)) return false
  const parts = value
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_. ]/)
  if (parts.length < 2 || !parts.some((part) => SAYS_TEST.has(part))) return false
  return parts.every(
    (part, at) =>
      SAYS_TEST.has(part) ||
      WITH_TEST.has(part) ||
      /^(?:0{0,3}\d{1,2}|123(?:4(?:5(?:6(?:7(?:89?)?)?)?)?)?)$/.test(part) ||
      // `sk-`, `ghp_`, `AIza-`: what a vendor's keys begin with.
      (at === 0 && /^[a-z]{1,4}$/.test(part)),
  )
}

/** What hashes, encrypts or signs: `argon2id`, `HS256`. */
const ALGORITHM =
  /^(?:argon2(?:id?|d)?|b?crypt|scrypt|pbkdf2(?:[-_:]\w+)*|(?:hmac[-_]?)?sha[-_]?\d{1,3}(?:[-_/]\d{3})?|md[45]|aes[-_]?\d{3}(?:[-_](?:cbc|gcm|ctr|ecb))?|[HREP]S\d{3}|ed25519|x25519|rsa[-_]?\d{4}|blake[23][bs]?)$/i

/** Words that say of themselves that they are no secret: `dev-only-…-placeholder`, `ghp_FakeTokenForTesting`. */
const DENIED =
  /(?:^|[-_.])(?:fake|dummy|placeholder|not[-_](?:a[-_])?(?:real|secret)|not[-_]for[-_]production|(?:test|dev)[-_]only|for[-_]testing)(?=[-_.]|$)|(?:^|[a-z_-])(?:Fake|Dummy|Placeholder|NotReal|ForTesting)(?=[A-Z]|$)/
/** Keys that are made to be shown. */
const PUBLISHABLE =
  /^(?:phc_|pk_(?:live|test)_|pk\.eyJ|sb_publishable_|-----BEGIN (?:[A-Z]+ )?(?:PUBLIC KEY|CERTIFICATE))/

/** True for a key that a vendor's guide prints as its example. */
export const isPublished = (value: string): boolean => PUBLISHED.has(value)

/** `your-api-key`, `YOUR_TOKEN`, `my-secret`, `<token>`, `insert key here`. */
const SAYS_SO =
  /^(?:["'<[{(]*)(?:(?:(?:your|insert|enter|add|put|paste|provide|replace|use|set|some)(?=[-_ .A-Z]|$)|(?:YOUR|INSERT|ENTER|ADD|PUT|PASTE|REPLACE)(?=[-_ ]|$))[\w .:/'-]{0,80}|(?:my|the|a|an|any|new|old|user|MY|THE)[-_ ]?(?:super[-_ ]?)?(?:api|auth|access|secret|client|db|database|private|bot|oauth|personal|Api|Auth|Access|Secret|Client|API)?[-_ ]?(?:key|token|secret|password|passwd|passphrase|pass|pwd|value|KEY|TOKEN|SECRET|PASSWORD|VALUE|Key|Token|Secret|Password)(?:[-_ ]?(?:here|value|goes[-_ ]here|string|HERE))?|[\w .-]{0,60}(?:[-_ ](?:here|HERE|placeholder|PLACEHOLDER)))(?:[\]"'>})]*)$/

/**
 * True for a value that cannot be a secret: on the list, a template that is filled in elsewhere (`$VAR`, `${{ secrets.X }}`,
 * `{{ x }}`, `%(x)s`, `<token>`), masked (`****`, `xxxx`, `...`) or a published example.
 */
export function isPlaceholder(value: string): boolean {
  const bare = value.trim()
  if (bare === '' || PLACEHOLDERS.has(bare.toLowerCase()) || PUBLISHED.has(bare)) return true
  if (bare.length > 200) return PUBLISHABLE.test(bare)
  // Cut off for the reader.
  if (/(?:\.{3}|\u2026)$/.test(bare)) return true
  return (
    MASKED.test(bare) ||
    CUT_OUT.test(bare) ||
    isTemplate(bare) ||
    SAYS_SO.test(bare) ||
    saysTest(bare) ||
    ALGORITHM.test(bare) ||
    DESCRIBED.test(bare) ||
    FILLED.test(bare) ||
    (DENIED.test(bare) && wordShare(bare) > 0.75) ||
    PUBLISHABLE.test(bare)
  )
}

/** Masked, also between the first and last letters. A run of `x` is a mask after a prefix only: `sk-xxxx`, not `aQ9xxxxT4m`. */
const MASKED =
  /^(?:[\w-]{0,8}?(?:([*.•#?_\u2026-])\1{2,}|\u2026)|(?:[A-Za-z]{1,8}[-_.]){0,3}(?:AKIA)?(?:(?:[xX]{4,}[._-]?)+|[xX]{3}(?![A-Za-z])))[\w-]{0,4}$/

/** Removed by another program, which says so: `my-sup…(masked)`, `REDACTED/g`. */
const CUT_OUT = /\((?:masked|redacted|hidden|truncated)\)$|^[[<(*]*REDACTED\b/

/** True if a value is filled in elsewhere. */
export function isTemplate(value: string): boolean {
  return (
    /^(?:\$\{|\{\{|\$\(|<%)|^(?:\$(?:[A-Za-z_]\w*|[\d@*])|\$\$?\{[^{}]*\}|\$\(.*\)|\$\{\{.*\}\}|%[A-Za-z_]\w*%|%\(?\w*\)?[sdrq]|%[sdvq]|:[a-z]+(?:_[a-z]+)*|<[^<>]{0,80}>|\[[A-Za-z _-]{1,40}\]|\{[\w.]*\}|#\{.*\}|@[\w.]+@|__\w+__|\{(?:x:)?(?:Template)?(?:Bind|Binding|StaticResource|DynamicResource) [^{}]*\})$/.test(
      value,
    ) ||
    /^(?:[^$\w]{0,3}\$[A-Za-z_]\w*){1,6}[^$\w]{0,3}$|^\u2026|^["'`][ ]?\+.*\+[ ]?["'`]$|\$\{[^}]*\}|\{\{.*\}\}|<%.*%>|\$\(|#\{/.test(
      value,
    )
  )
}

/** True for a value that only refers to a secret: an address, a variable, an entry of a vault, a path. */
export function isReference(value: string): boolean {
  if (ELSEWHERE.test(value)) return true
  if (/^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/.test(value))
    return MODULE.test(value) || !hasRandomPart(value.replace(/\bid_[a-z]+\d*(?:\.pub)?$/, ''))
  return /^[\w.-]+\/[\w./-]+\.\w{1,5}$/.test(value) || FILE.test(value)
}

const ELSEWHERE =
  /^(?:(?:https?|ftp|file|wss?|op|vault|s3|gs|ssm|secretsmanager|keyvault|data|urn|doc|git|ssh|arn):|ref\+|![A-Za-z][\w.:]*(?:\s|$)|![01](?=\W|$)|env[.(:]|(?:process|os|secrets?|var|local|data|module|each|self|this)\.|ENV\[|ENC\[|[*&]\w+$)/i
const MODULE = /\.[cm]?[jt]sx?$/
const FILE =
  /\.(?:pem|key|crt|txt|json|ya?ml|toml|lock|env|js|ts|tsx|py|go|rs|rb|md|html?|css|svg|png|so|sh|exe|dll|cfg|conf|ini)$/

/** True for base64 that begins like a path. */
function hasRandomPart(path: string): boolean {
  if (path.length >= 30 && /[\s+=]/.test(path)) return true
  const bare = path.replaceAll('/', '')
  if (bare.length >= 30 && mixesCase(bare) && wordShare(bare) < 0.5) return true
  return path
    .split(/[\\/]/)
    .some(
      (part) =>
        (part.length >= 16 && mixesCase(part) && (part.length >= 24 || wordShare(part) < 0.5)) ||
        (part.length >= 8 && mixesDigits(part) && wordShare(part) < 0.4),
    )
}

const mixesCase = (text: string) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)
