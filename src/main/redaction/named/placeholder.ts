/** Values that documentation, templates and defaults use in place of a secret. Compared in lower case. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  `changeme change-me change_me changeit change-it replaceme replace-me replace_me fixme todo tbd dummy none null nil nan
  undefined unset empty blank true false yes no on off default optional required redacted removed hidden masked censored
  filtered omitted private placeholder example sample test-only not-a-secret notasecret supersecret-placeholder n/a na
  include same-origin omit password passwd secret token key apikey api_key api-key string str text number integer int
  boolean bool any unknown object array bytes byte buffer void never char varchar uuid auto automatic enabled disabled
  write read pass passed failed fail ok error anonymous@ -anonymous@ user@site anonymous prompt ask stdin env environment keychain keyring vault file`.split(
    /\s+/,
  ),
)

/** Published by Amazon as examples, in every guide to its services. */
const PUBLISHED: readonly string[] = [
  'AKIAIOSFODNN7EXAMPLE',
  'AKIAI44QH8DHBEXAMPLE',
  'ASIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
]

/** True for a key that a vendor's guide prints as its example. */
export const isPublished = (value: string): boolean => PUBLISHED.includes(value)

/** `your-api-key`, `YOUR_TOKEN`, `my-secret`, `<token>`, `insert key here`. */
const SAYS_SO =
  /^(?:["'<[{(]*)(?:(?:(?:your|insert|enter|add|put|paste|provide|replace|use|set|some)(?=[-_ .A-Z]|$)|(?:YOUR|INSERT|ENTER|ADD|PUT|PASTE|REPLACE)(?=[-_ ]|$))[\w .:/'-]{0,80}|(?:my|the|a|an|any|new|old|user|MY|THE)[-_ ]?(?:super[-_ ]?)?(?:api|auth|access|secret|client|db|database|private|bot|oauth|personal|Api|Auth|Access|Secret|Client|API)?[-_ ]?(?:key|token|secret|password|passwd|passphrase|pass|pwd|value|KEY|TOKEN|SECRET|PASSWORD|VALUE|Key|Token|Secret|Password)(?:[-_ ]?(?:here|value|goes[-_ ]here|string|HERE))?|[\w .-]{0,60}(?:[-_ ](?:here|HERE|placeholder|PLACEHOLDER)))(?:[\]"'>})]*)$/

/**
 * True for a value that cannot be a secret: on the list, a template that is filled in elsewhere (`$VAR`, `${{ secrets.X }}`,
 * `{{ x }}`, `%(x)s`, `<token>`), masked (`****`, `xxxx`, `...`) or a published example.
 */
export function isPlaceholder(value: string): boolean {
  const bare = value.trim()
  if (bare === '' || PLACEHOLDERS.has(bare.toLowerCase()) || PUBLISHED.includes(bare)) return true
  if (bare.length > 200) return false
  // Cut off for the reader.
  if (/(?:\.{3}|\u2026)$/.test(bare)) return true
  return MASKED.test(bare) || isTemplate(bare) || SAYS_SO.test(bare)
}

const MASKED = /^[\w-]{0,8}?(?:([*.•#?_\u2026-])\1{2,}|[xX]{4,}|(?<![A-Za-z])[xX]{3}(?![A-Za-z])|\u2026)[\w-]{0,4}$/

/** True if a value is filled in elsewhere. */
export function isTemplate(value: string): boolean {
  return (
    /^(?:\$\{|\{\{|\$\(|<%)|^(?:\$[A-Za-z_]\w*|\$\$?\{[^{}]*\}|\$\(.*\)|\$\{\{.*\}\}|%[A-Za-z_]\w*%|%\(?\w*\)?[sdrq]|%[sdvq]|<[^<>]{0,80}>|\[[A-Za-z _-]{1,40}\]|\{[\w.]*\}|#\{.*\}|@[\w.]+@|__\w+__)$/.test(
      value,
    ) || /^(?:[^$\w]{0,3}\$[A-Za-z_]\w*){1,6}[^$\w]{0,3}$|^\u2026|\$\{[^}]*\}|\{\{.*\}\}|<%.*%>|\$\(|#\{/.test(value)
  )
}
