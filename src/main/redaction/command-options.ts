import { listed } from './listed.ts'
/** An option that takes a secret, with the programs for which it does. */
export interface SecretOption {
  readonly anchors: readonly string[]
  /** Must match the command before the option. */
  readonly before: RegExp
  /** Matches from the end of the anchor. Its first group is skipped, the second is the secret. */
  readonly value: RegExp
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
/** The same, without a name of its own. */
const NAMELESS = /^(\s{0,4}\\{0,7}["']?)(?![a-z_]{1,20}=)((?=[^\s"']{0,60}\d)[\w.~+/=-]{16,400})/
/** A word of small letters, capitals and digits that a command prints for another one. */
const PRINTED = String.raw`(?:-n\s|["']?%s(?:\\n)?["']?\s)?\\{0,7}["']?(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[a-z])(?=[^\s"']{0,60}[A-Z])`
/** A word that no option would take: long, with a digit. */
const STRONG = /^(\s{0,4}\\{0,7}["']?)((?=[^\s"']{0,60}\d)[\w.~+/=-]{16,400})/
/** A program that reads a secret and nothing else. */
const TAKES =
  String.raw`(?:sudo\s)?(?:\S*/)?(?:docker|podman|helm|buildah|skopeo)[^\n|<]{0,200}\s--password-stdin|(?:docker|podman) secret create|` +
  String.raw`sudo\s(?:-\w+\s)*-\w*S|(?:sudo\s)?(?:\S*/)?chpasswd|passwd|cryptsetup|kinit|su|vault login|restic|borg|` +
  String.raw`(?:npx\s|pnpm\s|bunx\s)?(?:wrangler secret put|vercel env add|gh secret set|gh auth login)|op item|` +
  String.raw`glab auth login|gcloud secrets|fly secrets|g?o?pass insert|\S*(?:gpg2?|openssl)\s[^\n|]{0,200}(?:-passphrase-fd|stdin)`
const command = (names: string) =>
  new RegExp(String.raw`(?:^|[\s;|&("'\x60/\u2192=>:n])(?:${names})(?:\.exe)?\s(?:[^\n|;]|\\\n){0,380}$`)

const TAKEN = command(
  String.raw`${TAKES}|docker login|gpg|sudo|(?<=\b)read\s(?:-\w{1,4}\s){0,4}\w{0,40}(?:pass|passwd|password|pwd?|secret|token|key|PASS|PASSWORD|PW|PWD|SECRET|TOKEN|KEY)`,
)

/** Secrets on command lines without a name, from the programs' own documentation. */
export const SECRET_OPTIONS: readonly SecretOption[] = [
  {
    anchors: ['-u ', '-u"', "-u'", '--user ', '--user=', '--proxy-user ', '--proxy-user=', '-U '],
    before: command('curl|http|https|xh|wget|aria2c|smbclient|rpcclient|smbmap|winexe|lftp|etcdctl'),
    value: PAIR,
  },
  // The user right after the option.
  { anchors: ['curl '], before: /^/, value: word(String.raw`(?:[^\n|;&]{0,300}\s)?-u["']?[\w.@+-]{1,80}:`, 2) },
  { anchors: ['--auth ', '--auth=', '-a '], before: command('http|https|xh'), value: PAIR },
  {
    anchors: ['-b ', '--cookie '],
    before: command('curl'),
    value: word(String.raw`\s{0,4}[\w.-]{1,60}=`, 3, 400),
  },
  {
    anchors: listed('pass pass:|password pass:|passin pass:|passout pass:'),
    before: /-(?:\w{2,4}-)?\s$/,
    value: one(2),
  },
  { anchors: ['sshpass -p'], before: /^/, value: one(1) },
  {
    anchors: ['-p', "-p'", '-p"', '-p\\'],
    before: command('mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mycli|mariadb|mariadb-dump|7z|7za|7zz|7zr'),
    value: /^()(?!\s)\\{0,7}["']?([^\s"'\x60|;&<>()\\]{2,200})/,
  },
  {
    anchors: ['-P '],
    before: command(
      'security import|\\S*gpg-preset-passphrase|zip|unzip|sqlcmd|bcp|zipcloak|ssh-keygen|mosquitto_pub|mosquitto_sub|ipmitool',
    ),
    value: one(1),
  },
  {
    anchors: ['-p '],
    before: command(
      'docker login|podman login|az login|mongo|mongosh|mongodump|mongorestore|mongoimport|rabbitmqadmin|influx|cqlsh|clickhouse-client|arangosh|supabase link|supabase db|ftp|nexus|snow|snowsql|vsql|exaplus|vertica|twine|rdesktop|psexec|PsExec|xcrun altool|security unlock-keychain|useradd|usermod',
    ),
    value: one(2),
  },
  // After its user; no port, no list of them.
  {
    anchors: ['-p ', '/rp '],
    before: /\s(?:-[uUl]|--user(?:name)?|\/ru)[ =][^\s-]\S{0,80}\s+$/,
    value: new RegExp(
      String.raw`^(\s{0,4}["']?(?![\d.:-]+(?:\/\w+)?(?:\s|$))(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[A-Za-z]))((?<=["'])[^"'\n\\]{6,200}|${WORD}{6,200})`,
    ),
  },
  // Others that log in; a short number is a port.
  {
    anchors: ['-p '],
    before: command('[\\w./-]{2,30}(?:\\s[^\\n|;]{0,60})?\\slogin'),
    value: word(String.raw`(?!\d{1,5}(?![^\s"']))\s{0,4}["']?`, 2),
  },
  { anchors: ['-a '], before: command('redis-cli|keydb-cli|valkey-cli'), value: one(1) },
  {
    anchors: ['-w '],
    before: command('security add-generic-password|security add-internet-password|ldap[a-z]{3,8}'),
    value: one(1),
  },
  { anchors: ['-w'], before: command('ldap[a-z]{3,8}'), value: /^(?!\s)(\\{0,7}["']?)([^\s"'\x60|;&<>()\\]{2,200})/ },
  {
    anchors: ['-v2c -c ', '-v1 -c ', '-v 2c -c ', '-v 1 -c ', '-c public -v', 'snmp community '],
    before: /^/,
    value: word(String.raw`["']?(?!public|private)`, 3),
  },
  // Users of SNMP, and keys that routers share.
  {
    anchors: ['createUser '],
    before: /^/,
    value: /^(\S{1,60} (?:SHA[-\d]*|MD5) \\{0,7}["']?)((?<=["'])[^"'\n\\]{4,100}|[^\s"'\\]{4,100})/,
  },
  {
    anchors: ['AES ', 'DES ', 'auth sha ', 'auth md5 ', 'priv aes ', 'priv des '],
    before: /(?:createUser|snmp)[^\n]{3,380}$/i,
    value: /^((?:128 |192 |256 )?\\{0,7}["']?)((?<=["'])[^"'\n\\]{4,100}|[^\s"'\\]{4,100})/,
  },
  {
    anchors: ['tacacs-server ', 'tacacs server ', 'radius-server ', 'radius server '],
    before: /^/,
    value: /^((?:[^\n]{0,120} )?key (?:[0-7] )?)([^\s"'`<>]{3,100})/,
  },
  {
    anchors: listed('isakmp key |message-digest-key |authentication-key |key-string |wpa-psk ascii |ascii-text '),
    before: /^/,
    value: /^((?:\d{1,5} md5 )?(?:[0-7] )?\\{0,7}["']?)([^\s"'`<>\\]{3,100})/,
  },
  { anchors: ['cloudflared service install ', 'cloudflared.exe service install '], before: /^/, value: one(20) },
  { anchors: ['-hmac '], before: command('openssl'), value: one(4) },
  { anchors: ['-A ', '-X '], before: command('snmpwalk|snmpget|snmpset|snmpbulkwalk'), value: one(6) },
  { anchors: ['snmp-server community '], before: /^/, value: one(3) },
  { anchors: ['rocommunity ', 'rwcommunity '], before: /^/, value: word('(?!public|private)', 3) },
  {
    anchors: ['secret ', 'password '],
    before: /(?:^|\n)[ \t]*username \S{1,60} [^\n]{0,40}$/,
    value: word('[0-9] ', 3),
  },
  { anchors: ['wpa_passphrase '], before: /^/, value: word(String.raw`["']?[^\s"']{1,40}["']?\s+["']?`, 8) },
  { anchors: ['bw unlock '], before: /^/, value: word(String.raw`(?:--\w+\s+){0,3}["']?(?!-)`, 6) },
  { anchors: ['rootpw --plaintext '], before: /^/, value: one(2) },
  { anchors: ['rclone obscure '], before: /^/, value: one(3) },
  {
    anchors: ['rclone config '],
    before: /^/,
    value: word(String.raw`[^\n]{1,200}[ ](?:key|pass|password2?|token|client_secret|secret_access_key)[ =]["']?`, 4),
  },
  { anchors: ['-pw '], before: command('plink|pscp|psftp|putty'), value: one(1) },
  {
    anchors: ['htpasswd -'],
    before: /^/,
    value: word(
      // A file comes before the user, unless it prints its result (-n). All on one line.
      String.raw`(?:(?!\w*n)[A-Za-z]{0,6}b[A-Za-z]{0,6}[ \t]+\S{1,200}|(?=\w*b)(?=\w*n)[A-Za-z]{2,6})[ \t]+\S{1,80}[ \t]+["']?`,
      1,
    ),
  },
  {
    anchors: ['echo ', 'printf '],
    before: /^/,
    value: new RegExp(
      String.raw`^(\s{0,4}(?:-n\s)?(?:["']%s(?:\\n)?["']\s)?\\{0,7}["']?(?:[a-z_][\w-]{0,30}:(?=[^\n]{0,200}chpasswd))?)((?<=["'])[^"'\n\\|$]{3,200}|[^\s"'\x60\\|$]{3,200})(?=\\{0,7}["']?\s{0,4}\|\s{0,4}(?:${TAKES})(?![\w-]))`,
    ),
  },
  {
    anchors: ["'echo ", "'printf ", '"echo ', '"printf '],
    before: /pass(?:word|wd|phrase)?[-_]?(?:command|cmd)[ =]{1,3}\\*$/i,
    value: word(String.raw`(?:-n\s)?\\{0,7}["']?`, 4),
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
    anchors: ['net use '],
    before: /^/,
    value: /^((?:[A-Za-z]: |\* )?\\\\\S{3,120}\s+)([^\s/*"'\x60\\<]{3,100})(?=[\s"'\x60\\<]|$)/,
  },
  {
    anchors: ['--from-literal=', '--from-literal '],
    before: command('(?:kubectl|oc) create secret'),
    value: word(
      String.raw`\\{0,7}["']?(?!(?:\w*user(?:name)?|login|host|port|url|email|region|name)=)[\w.-]{1,80}=\\{0,7}["']?`,
      3,
    ),
  },
  {
    anchors: ['rabbitmqctl add_user ', 'rabbitmqctl change_password '],
    before: /^/,
    value: word(String.raw`\S{1,60} ["']?`, 3),
  },
  {
    anchors: ['b2 authorize-account ', 'b2 account authorize '],
    before: /^/,
    value: word(String.raw`\w{8,40} `, 20),
  },
  {
    anchors: ['mc alias set ', 'mc config host add '],
    before: /^/,
    value: word(String.raw`\S{1,60} \S{1,120} \S{1,80} `, 6),
  },
  {
    anchors: ['dotnet user-secrets set '],
    before: /^/,
    value: word(String.raw`\\{0,7}["']?[\w:.-]{1,80}\\{0,7}["']?\s\\{0,7}["']?(?![^"']*;)`, 4),
  },
  { anchors: ['vault encrypt_string '], before: /^/, value: one(3) },
  { anchors: ['net user '], before: /^/, value: /^(\S{1,60}\s+)([^\s/*"'\x60\\<]{3,100})(?=[\s"'\x60\\<]|$)/ },
  {
    anchors: ['SecureString '],
    before: /(?:ConvertTo-|$)/,
    value: /^((?:-String\s+)?\\{0,7}["'])((?:[^"'$\n\\]|\$(?![A-Za-z_({])){1,200})(?=\\{0,7}["'])/,
  },
  { anchors: ['login '], before: command('cargo|vault|wandb|railway'), value: NAMELESS },
  {
    anchors: ['authtoken ', 'add-authtoken ', 'setapikey ', 'setApiKey ', 'auth ', 'unseal '],
    before: command('ngrok|nuget|snyk|vault operator'),
    value: STRONG,
  },
  {
    anchors: ['--token ', '--token=', '-token ', '-token=', '-t '],
    before: command('consul|nomad|railway|codecov|influx|buildkite-agent|doctl'),
    value: STRONG,
  },
  { anchors: ['-Dsonar.login=', '--git_basic_authorization '], before: /^/, value: STRONG },
  { anchors: ['-N '], before: command('ssh-keygen'), value: one(2) },
  {
    anchors: ['openssl passwd '],
    before: /^/,
    value: word(String.raw`(?:-(?:salt\s+\S{1,40}|[a-z\d]{1,9})\s+){0,4}["']?`, 3),
  },
  { anchors: ['-k ', '-K '], before: command('openssl enc|openssl aes-256-cbc|openssl des3'), value: one(2) },
  { anchors: ['/p ', '/p:'], before: command('signtool|xfreerdp|wfreerdp|xfreerdp3'), value: one(2) },
  {
    anchors: ['--value '],
    before: command('aws ssm put-parameter|az keyvault secret set|eas \\w{3,6}:create'),
    value: one(3),
  },
  { anchors: ['--body ', '-b '], before: command('gh secret set'), value: one(3) },
  { anchors: ['<<< ', '<<<'], before: TAKEN, value: one(4) },
  {
    anchors: ['<<', "<<'", '<<"'],
    before: TAKEN,
    value:
      /^(-?[ ]?\\{0,7}["']?[A-Za-z]\w{0,30}\\{0,7}["']?[ \t]{0,4}(?:\r?\n|\\+n)[ \t]*)([^\s"'\x60\\<>]{4,200})(?=[ \t]*(?:\r?\n|\\+n)[ \t]*[A-Za-z]\w{0,30}(?:\W|$))/,
  },
  {
    anchors: ['enable secret ', 'enable password '],
    before: /^/,
    value: /^((?:level \d{1,2}\s)?[0-9]\s)([^\s"'\x60<>|]{3,100})/,
  },
  {
    anchors: ['--cert ', '-E '],
    before: command('curl'),
    value: word(String.raw`\s{0,4}["']?[\w./-]{1,120}:`, 3),
  },
  {
    anchors: ['http-basic.'],
    before: command('poetry config|composer config'),
    value: word(String.raw`\S{1,80}\s+\S{1,80}\s+["']?`, 3),
  },
  { anchors: ['pypi-token.'], before: command('poetry config'), value: word(String.raw`\S{1,60}\s+["']?`, 3, 400) },
  {
    anchors: ['bundle config '],
    before: /^/,
    value: word(String.raw`(?:set\s+)?(?:--(?:global|local)\s+)?[\w.:/-]{3,100}\s+[^\s:]{1,80}:`, 3),
  },
  {
    anchors: ['git config '],
    before: /^/,
    value: word(String.raw`(?:--\w+\s+)*[\w.-]{0,40}(?:password|token)\s+["']?`, 4),
  },
  { anchors: ['--secret '], before: command('pulumi config set'), value: word(String.raw`[\w:.-]{1,80}\s+["']?`, 3) },
  { anchors: ['password '], before: command('nmcli'), value: one(3) },
  {
    anchors: ['-u '],
    before: command('lftp|open'),
    value: word(String.raw`\s{0,4}["']?[\w.@-]{1,60},`, 2),
  },
  {
    anchors: ['net use '],
    before: /^/,
    value: /^((?:[A-Za-z*]:?\s+)?\S{1,120}\s+\/user:\S{1,80}\s+)([^\s/*"'\x60\\<]{3,100})(?=[\s"'\x60\\<]|$)/,
  },
]
