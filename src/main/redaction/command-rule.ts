import { isPlaceholder } from './named/placeholder.ts'
import type { Place, Rule, Verdict } from './rule.ts'

/** An option that takes a secret, with the programs for which it does. */
interface SecretOption {
  readonly anchors: readonly string[]
  /** Must match the command before the option. */
  readonly before: RegExp
  /** Matches from the end of the anchor. Its first group is skipped, the second is the secret. */
  readonly value: RegExp
}

const AHEAD = 600
const BEHIND = 400
const WORD = String.raw`[^\s"'\x60|;&<>()]`
const one = (min: number) =>
  new RegExp(String.raw`^(\s{0,4}\\{0,7}["']?)((?<=["'])[^"'\n\\]{${min},200}|${WORD}{${min},200})`)
const PAIR = new RegExp(
  String.raw`^(\s{0,4}\\{0,7}["']?[\w.@+\\/-]{0,80}[:%])((?<=["'][^"']{0,90})[^"'\n\\]{1,200}|${WORD}{1,200})`,
)
const command = (names: string) =>
  new RegExp(String.raw`(?:^|[\s;|&("'\x60/→=>:n])(?:${names})(?:\.exe)?\s(?:[^\n|;]|\\\n){0,380}$`)

const OPTIONS: readonly SecretOption[] = [
  {
    anchors: ['-u ', '-u"', "-u'", '--user ', '--user=', '--proxy-user ', '--proxy-user=', '-U '],
    before: command('curl|http|https|xh|wget|aria2c|smbclient|rpcclient|smbmap|winexe|lftp'),
    value: PAIR,
  },
  { anchors: ['--auth ', '--auth=', '-a '], before: command('http|https|xh'), value: PAIR },
  {
    anchors: ['-b ', '--cookie '],
    before: command('curl'),
    value: /^(\s{0,4}\\{0,7}["']?[\w.-]{1,60}=)([^"'\n\\]{3,400})/,
  },
  { anchors: ['sshpass -p'], before: /^/, value: one(1) },
  {
    anchors: ['-p', "-p'", '-p"', '-p\\'],
    before: command('mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mycli|mariadb|mariadb-dump|7z|7za|7zz|7zr'),
    value: /^()(?!\s)\\{0,7}["']?([^\s"'|;&<>()\\]{2,200})/,
  },
  { anchors: ['-P '], before: command('zip|unzip|sqlcmd|bcp|zipcloak'), value: one(1) },
  {
    anchors: ['-p '],
    before: command(
      'docker login|podman login|az login|mongo|mongosh|mongodump|mongorestore|mongoimport|oc login|cf login|helm registry login|buildah login|skopeo login|rabbitmqadmin|influx|clickhouse-client|arangosh|ftp|nexus|snow|vertica',
    ),
    value: one(2),
  },
  { anchors: ['-a '], before: command('redis-cli|keydb-cli|valkey-cli'), value: one(1) },
  {
    anchors: ['-w '],
    before: command('ldapsearch|ldapmodify|ldapadd|ldapdelete|ldapwhoami|ldappasswd'),
    value: one(1),
  },
  { anchors: ['-pw '], before: command('plink|pscp|psftp|putty'), value: one(1) },
  {
    anchors: ['htpasswd -'],
    before: /^/,
    value: /^([A-Za-z]{0,6}b[A-Za-z]{0,6}\s+\S{1,200}\s+\S{1,80}\s+["']?)([^\s"'|;&]{1,200})/,
  },
  {
    anchors: ['echo ', 'printf '],
    before: /^/,
    value:
      /^(\s{0,4}(?:-n\s)?["']?)([^\s"'|$]{3,200})(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s(?:-\w+\s)*-\w*S|\S*(?:docker|podman|helm|buildah|skopeo)[^\n|]{0,200}--password-stdin|gh auth login|passwd|chpasswd|cryptsetup|kinit))/,
  },
  { anchors: ['net user '], before: /^/, value: /^(\S{1,60}\s+)([^\s/*"']{3,100})(?=\s|$)/ },
  {
    anchors: ['SecureString '],
    before: /(?:ConvertTo-|$)/,
    value: /^((?:-String\s+)?\\{0,7}["'])([^"'$\n\\]{1,200})(?=\\{0,7}["'])/,
  },
]

/** Matches secrets that a command line hands to a program without naming them: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */
export const COMMAND_RULES: readonly Rule[] = OPTIONS.map(({ anchors, before, value }) => ({
  name: 'command-secret',
  anchors,
  isKeyFormat: false,
  match(place: Place): Verdict {
    const { text, final, at, after } = place
    if (!/^[\s"'`;|&(]?$/.test(place.behind(at, 1)) && !place.boundary(at)) return after
    if (text[at] === '-' && !/[\s"']$/.test(place.behind(at, 1))) return after
    if (before.source !== '^' && !before.test(`${place.behind(at, BEHIND)} `)) return after
    const ahead = text.slice(after, after + AHEAD)
    if (!final && ahead.length < AHEAD && !/[\r\n]/.test(ahead)) return 'more'
    const hit = value.exec(ahead)
    const secret = hit?.[2] ?? ''
    if (hit === null || isPlaceholder(secret) || /^[$<{%-]|\[redacted:|<private>|\$\{?[A-Za-z_]/i.test(secret))
      return after
    const start = after + hit[0].length - secret.length
    const key = place.isKey(start, start + secret.length)
    if (key === 'more') return final ? after : 'more'
    return key ? start : { start, end: start + secret.length }
  },
}))
