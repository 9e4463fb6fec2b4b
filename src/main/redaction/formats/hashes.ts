import type { Rule } from '../rule.ts'

/** Longest of them. */
const AHEAD = 900
/** Signs of a hash; `$` is doubled in Compose files and escaped in shells. */
const [S, B] = [String.raw`(?:\\{0,3}\${1,2})`, String.raw`[A-Za-z\d./+]`]
/** `m=65536,t=3,p=4$`, `rounds=656000$`. */
const COST = String.raw`(?:[a-z]{1,6}=[\d,a-z=]{1,40}${S}){0,3}`
const HEX = '[\\da-fA-F]'

/** How a password's hash is written, by the letters after its first `$`. */
const CRYPTED = {
  '1 apr1': `${B}{1,8}${S}${B}{22}`,
  '5': `${COST}${B}{1,16}${S}${B}{43}`,
  '6': `${COST}${B}{1,16}${S}${B}{43,86}`,
  '7': `${B}{11,50}${S}${B}{43}`,
  '8': `${B}{14}${S}${B}{43}`,
  // Juniper's can be read back.
  '9': `(?:${B}{14}${S}${B}{43}|(?=[\\w./-]*[a-z])(?=[\\w./-]*[A-Z])(?=[\\w./-]*[\\d./-])[\\w./-]{12,120})`,
  'y gy': `${B}{1,12}${S}${B}{1,32}${S}${B}{43}`,
  '2a 2b 2x 2y': `\\d\\d${S}${B}{53}`,
  'P H': `${B}{31}`,
  S: `${B}{52}`,
  A: `\\d{3}${S}[^\\s"'\`]{20,80}`,
  md5: `${COST}${B}{1,16}${S}{1,2}${B}{22}`,
  sha1: `\\d+${S}${B}{1,64}${S}${B}{28}`,
  scrypt: `[\\w=,]{3,40}${S}${B}{4,90}${S}${B}{20,180}`,
  s0: `${B}{4,8}${S}${B}{16,60}=*${S}${B}{30,100}=*`,
  'argon2i argon2d argon2id': `${COST}${B}{8,200}(?:${S}${B}{16,400})?`,
  pbkdf2: `\\d+${S}${B}{4,200}${S}${B}{16,200}`,
  'pbkdf2-sha1 pbkdf2-sha256 pbkdf2-sha512': `(?:i=)?\\d+${S}${B}{4,200}${S}${B}{16,200}`,
  'bcrypt-sha256': `${COST}(?:2b,\\d+${S})?${B}{22}${S}${B}{31}`,
  krb5asrep: `(?:\\d{2}${S})?[^\\s"'\`$]{3,200}(?:${S}|:)${HEX}{16,64}(?:${S}${HEX}{16,800})?`,
  krb5tgs: `\\d{2}${S}[^\\s"'\`]{3,200}${S}${HEX}{16,64}${S}${HEX}{16,800}`,
  krb5pa: `\\d{2}${S}[^\\s"'\`]{3,200}${S}${HEX}{60,200}`,
}
/** The same, without a `$` at its beginning. */
const NAMED = {
  'pbkdf2_sha1$ pbkdf2_sha256$ pbkdf2_sha512$': `\\d+${S}${B}{4,80}${S}${B}{16,120}=*`,
  'pbkdf2:sha1 pbkdf2:sha256 pbkdf2:sha512': `:\\d+${S}\\w{4,80}${S}${HEX}{16,256}`,
  'scrypt:': `\\d+:\\d+:\\d+${S}\\w{4,80}${S}${HEX}{16,256}`,
  scrypt$: `\\w{4,80}${S}\\d+${S}\\d+${S}\\d+${S}${B}{16,200}=*`,
  sha1$: `${B}{1,32}${S}${HEX}{40}`,
  sha256$: `${B}{1,32}${S}${HEX}{64}`,
  md5$: `${B}{1,32}${S}${HEX}{32}`,
  'SCRAM-SHA-1$ SCRAM-SHA-256$': `\\d+:${B}{8,80}=*${S}${B}{20,120}=*:${B}{20,120}=*`,
  'grub.pbkdf2.sha512.': `\\d+\\.${HEX}{16,256}\\.${HEX}{64,256}`,
  '-pbkdf2-': `${HEX}{40},${HEX}{16,64},\\d+`,
  '-pbkdf2:sha256-': `${HEX}{64},${HEX}{16,64},\\d+`,
  '-hashed-': `${HEX}{40},${HEX}{16,64}`,
  '{SSHA}': `${B}{30,60}=*`,
  '{SSHA256}': `${B}{44,80}=*`,
  '{SSHA512}': `${B}{88,130}=*`,
  '{SHA}': `${B}{27}=`,
  '{SHA256}': `${B}{43}=`,
  '{SHA512}': `${B}{86}==`,
  '{SMD5}': `${B}{24,40}=*`,
  '{MD5}': `${B}{22}==`,
  '{CRYPT}': `${B}{13}`,
  '{PKCS5S2}': `${B}{60,90}=*`,
  '{PBKDF2-SHA512}': `\\d+${S}${B}{16,80}${S}${B}{60,120}`,
  '{PBKDF2-SHA256}': `\\d+${S}${B}{16,80}${S}${B}{40,80}`,
}

const FORMS = new Map<string, RegExp>()
for (const [names, body] of Object.entries(CRYPTED))
  for (const name of names.split(' '))
    for (const sign of ['$', '$$', '\\$', '\\\\$'])
      FORMS.set(`$${name}${sign}`, new RegExp(`^${body}={0,2}(?![A-Za-z\\d/+])`))
for (const [names, body] of Object.entries(NAMED))
  for (const name of names.split(' ')) FORMS.set(name, new RegExp(`^${body}(?![A-Za-z\\d/+])`))

/** Longest of what Ansible encrypts, in lines of eighty digits. */
const VAULT =
  /^[\d.]{3,5};AES256(?:;[\w.-]{1,40})?(?:\s|\\n){1,40}((?:[\da-f]{80}(?:\s|\\n){1,40}){0,400}[\da-f]{2,80}(?![\da-z]))/
const LONGEST_VAULT = 40_000

/** Finds what Ansible encrypted with a password, which anybody can guess at. */
export const vaultRule: Rule = {
  name: 'ansible-vault',
  anchors: ['$ANSIBLE_VAULT;'],
  isKeyFormat: false,
  match({ text, after, final }) {
    const ahead = text.slice(after, after + LONGEST_VAULT)
    if (!final && ahead.length < LONGEST_VAULT && /^[\d.;AES\w\s\\-]*$/.test(ahead)) return 'more'
    const [all = '', body = ''] = VAULT.exec(ahead) ?? []
    return body === '' ? after : { start: after + all.length - body.length, end: after + all.length }
  },
}

/** Finds hashes of passwords in the forms that say what they are: whoever has one can guess at it without anybody knowing. */
export const hashRule: Rule = {
  name: 'password-hash',
  anchors: [...FORMS.keys()],
  isKeyFormat: true,
  match({ text, at, after, final }) {
    const ahead = text.slice(after, after + AHEAD)
    if (!final && ahead.length < AHEAD && !/[\s"'`]/.test(ahead)) return 'more'
    const body = FORMS.get(text.slice(at, after))?.exec(ahead)?.[0]
    return body === undefined ? after : { start: at, end: after + body.length }
  },
}
