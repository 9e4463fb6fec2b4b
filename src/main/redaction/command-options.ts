import options from '../../../resources/words/secret-options.json' with { type: 'json' }

/** An option that takes a secret, with the programs for which it does. */
export interface SecretOption {
  readonly anchors: readonly string[]
  /** Must match the command before the option. */
  readonly before: RegExp
  /** Matches from the end of the anchor. Its first group is skipped, the second is the secret. */
  readonly value: RegExp
}

/** One of most options, as data. `after`: the programs; `lead`: what is before the secret; its shortest and longest. */
interface Listed {
  readonly anchors: readonly string[]
  readonly after?: string
  readonly lead?: string
  readonly min: number
  readonly max?: number
}

/** A character of a shell word. A quote, also an escaped one, ends it, and so does an escaped line break. */
const WORD = String.raw`(?:[^\s"'\x60|;&<>()\\]|\\(?![\\"'\x60nrt]))`
const word = (before: string, min: number, max = 200) =>
  new RegExp(String.raw`^(${before})((?<=["'])[^"'\n\\]{${min},${max}}(?=["'])|${WORD}{${min},${max}})`)
const one = (min: number) =>
  new RegExp(String.raw`^(\s{0,4}\\{0,7}["']?)((?<=["'])[^"'\n\\]{${min},200}|${WORD}{${min},200})`)
const PAIR = new RegExp(
  String.raw`^((?:\\\r?\n)?\s{0,4}\\{0,7}["']?[\w.@+\\/-]{0,80}[:%])((?<=["'][^"']{0,90})[^"'\n\\]{1,200}|${WORD}{1,200})`,
)
/** A word of small letters, capitals and digits that a command prints for another one. */
const PRINTED = String.raw`(?:-n\s|["']?%s(?:\\n)?["']?\s)?\\{0,7}["']?(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[a-z])(?=[^\s"']{0,60}[A-Z])`
/** A program that reads a secret and nothing else. */
const TAKES =
  String.raw`(?:sudo\s)?(?:\S*/)?(?:docker|podman|helm|buildah|skopeo)[^\n|<]{0,200}\s--password-stdin|(?:docker|podman) secret create|` +
  String.raw`sudo\s(?:-\w+\s)*-\w*S|(?:sudo\s)?(?:\S*/)?chpasswd|passwd|smbpasswd|cryptsetup|kinit|su|runas|vault login|restic|borg|` +
  String.raw`(?:[\w./-]{2,20}\s){1,3}secrets?[: ](?:set|put|add|create)|(?:npx\s|pnpm\s|bunx\s)?(?:vercel env add|gh auth login)|op item|` +
  String.raw`\S*-keystore add|glab auth login|gcloud secrets|fly secrets|g?o?pass insert|\S*(?:gpg2?|openssl)\s[^\n|]{0,200}(?:-passphrase-fd|stdin)`
const command = (names: string) =>
  new RegExp(String.raw`(?:^|[\s;|&("'\x60/\u2192=>:n!])(?:${names})(?:\.exe)?\s(?:[^\n|;]|\\\n){0,380}$`)

const TAKEN = command(
  String.raw`${TAKES}|\w{0,12}passwd|docker login|gpg|sudo|(?<=\b)read\s(?:-\w{1,4}\s){0,4}\w{0,40}(?:pass|passwd|password|pwd?|secret|token|key|PASS|PASSWORD|PW|PWD|SECRET|TOKEN|KEY)`,
)

/** Secrets on command lines without a name, from the programs' own documentation. */
export const SECRET_OPTIONS: readonly SecretOption[] = [
  ...(options as readonly Listed[]).map(({ anchors, after, lead, min, max }) => ({
    anchors,
    before: after === undefined ? /^/ : command(after),
    value: lead === undefined ? one(min) : word(lead, min, max),
  })),
  {
    anchors: ['-u ', '-u"', "-u'", '--user ', '--user=', '--proxy-user ', '--proxy-user=', '-U '],
    before: command(
      'curl|http|https|xh|wget|aria2c|smbclient|rpcclient|smbmap|winexe|lftp|etcdctl|net \\w+|smbget|smbcacls',
    ),
    value: PAIR,
  },
  { anchors: ['--auth ', '--auth=', '-a '], before: command('http|https|xh'), value: PAIR },
  {
    anchors: ['pass ', 'password ', 'passin ', 'passout '].flatMap((name) =>
      ['', "'", '"', '\\"'].map((quote) => `${name}${quote}pass:`),
    ),
    before: /-(?:\w{2,4}-)?\s$/,
    value: /^(\s{0,4})((?<=["']pass:)[^"'\n\\]{2,200}|[^\s"'`|;&<>()\\]{2,200})/,
  },
  // After its user; no port, no list of them, no file, no property.
  {
    anchors: ['-p ', '/rp '],
    before:
      /(?:^|[\n;|&])(?![^\n;|&]*(?<![\w-])(?:mysql\w*|mariadb\S*|mycli|psql|pg_\w+|sudo|ssh|scp|install|diff|git|docker(?:-compose|\s(?:run|exec|compose))|p?kill|pgrep|ps|journalctl|python[\d.]*|node|ruby|perl|n?vim|mvnw?|dotnet|cargo|gcc|wget|lpr|lpstat|rsync|kubectl|pytest|jest|playwright|ansible\S*|make|xargs|emerge|nmap)\s)[^\n;|&]*\s(?:-[uUl]|-user|--user(?:name)?|\/ru)[ =:](?!and\s|or\s)[^\s-]\S{0,80}\s+$/,
    value: new RegExp(
      String.raw`^(\s{0,4}["']?(?![\d.:-]+(?:\/\w+)?(?:["'\s]|$)|\d+:|[./~-]|\w+=|\S+\.[a-z]{2,5}(?:["'\s]|$))(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[A-Za-z]))((?<=["'])[^"'\n\\]{6,200}|${WORD}{6,200})`,
    ),
  },
  // Users of SNMP.
  {
    anchors: ['AES ', 'DES ', 'auth sha ', 'auth md5 ', 'priv aes ', 'priv des '],
    before: /(?:createUser|snmp)[^\n]{3,380}$/i,
    value: /^((?:128 |192 |256 )?\\{0,7}["']?)((?<=["'])[^"'\n\\]{4,100}|[^\s"'\\]{4,100})/,
  },
  {
    anchors: ['secret ', 'password '],
    before: /(?:^|\n|["'])[ \t]*username \S{1,60} [^\n]{0,40}$/,
    value: word('[0-9] ', 3),
  },
  {
    anchors: ['echo ', 'printf '],
    before: /^/,
    value: new RegExp(
      String.raw`^(\s{0,4}(?:-n\s)?(?:["']%s(?:\\+n)?["']\s)?\\{0,7}["']?(?:[a-z_][\w-]{0,30}:(?=[^\n]{0,200}chpasswd))?)((?<=["'])[^"'\n\\|$]{3,200}|[^\s"'\x60\\|$]{3,200})(?=\\{0,7}["']?\s{0,4}\|\s{0,4}(?:${TAKES})(?![\w-]))`,
    ),
  },
  {
    anchors: ["'echo ", "'printf ", '"echo ', '"printf ', '\\"echo ', '\\"printf '],
    before: /pass(?:word|wd|phrase)?[-_]?(?:command|cmd)[ =]{1,3}\\*$/i,
    value: word(String.raw`(?:-n\s)?\\{0,7}["']?`, 4),
  },
  {
    anchors: ['<(echo ', '<(printf '],
    before: /(?:pass(?:word|wd|phrase)?|secret|key)[-_]?file[ =]{1,2}$/i,
    value: word(String.raw`(?:-n\s)?(?:["']?%s(?:\\n)?["']?\s)?\\{0,7}["']?`, 4),
  },
  {
    anchors: ['<(echo ', '<(printf ', '$(echo ', '$(printf ', "'echo ", "'printf ", '"echo ', '"printf '],
    before: /(?:pass|secret|token|key)[^\n|;]{0,60}[ =]{1,3}$/i,
    value: word(PRINTED, 8),
  },
  {
    anchors: ['echo ', 'printf '],
    before: /^/,
    value: new RegExp(
      String.raw`^(${PRINTED})(${WORD}{8,200})(?=\\{0,7}["']?\s{0,4}\|(?!\s{0,4}(?:grep|rg|jq|sed|awk))[^\n|]{0,80}\b(?:secrets?|passw\w*|passphrase|login|token)\b)`,
    ),
  },
  {
    anchors: ['sqlplus '],
    before: /^/,
    value: /^((?:-\w+ (?:\d+ )?){0,3}\\{0,7}["']?[\w$#]{1,60}\/)([^\s"'\x60@/\\;|&]{2,100})(?=[\s"'\\@]|$)/,
  },
  {
    anchors: ['SecureString '],
    before: /(?:ConvertTo-|$)/,
    value:
      /^((?:-(?:String|AsPlainText|Force)\s+){0,3}\\{0,7}["'])((?:[^"'$\n\\]|\$(?![A-Za-z_({])){1,200})(?=\\{0,7}["'])/,
  },
  { anchors: ['<<< ', '<<<', '<<< $', '<<<$'], before: TAKEN, value: one(4) },
  {
    anchors: ['<<< ', '<<<'],
    before: command(String.raw`(?!git|gh|jq|node|python)[\w-]{2,30}\s(?:[\w-]{2,20}\s)?(?:login|unlock)`),
    value: word(String.raw`\s{0,4}\\{0,7}["']?(?!(?<=["'])[^"'\s]{0,60}\s)`, 4),
  },
  {
    anchors: ['<<', "<<'", '<<"'],
    before: TAKEN,
    value:
      /^(-?[ ]?\\{0,7}["']?[A-Za-z]\w{0,30}\\{0,7}["']?[ \t]{0,4}(?:\r?\n|\\+n)[ \t]*)([^\s"'\x60\\<>]{4,200})(?=[ \t]*(?:\r?\n|\\+n)[ \t]*[A-Za-z]\w{0,30}(?:\W|$))/,
  },
]
