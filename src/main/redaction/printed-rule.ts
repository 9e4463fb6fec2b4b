import type { JsonObject } from '../../shared/json.ts'
import { commandIn } from '../../shared/tool-shape.ts'
import { nameKind } from './named/secret-name.ts'
import { isPlaceholder, isReference } from './named/placeholder.ts'
import { looksRandom, mixesDigits } from './named/strength.ts'
import { unlessKey, type Rule } from './rule.ts'

/** Commands whose purpose is to print a secret, by their first words. */
const PRINTERS = [
  'op read,op item get,pass show,gopass show,bw get password,vault kv get,vault read,vault token create',
  'openssl rand,security find-,secret-tool lookup,gcloud secrets versions access,gcloud auth print-',
  'gcloud auth application-default print-,aws secretsmanager get-secret-value,aws ssm get-parameter',
  'aws ecr get-login-password,aws ecr-public get-login-password,aws codeartifact get-authorization-token,az keyvault secret show,az storage account keys list,az account get-access-token,kubectl create token',
  'kubectl ,oc whoami -t,oc get ,kubeadm token create,doppler secrets get',
  'gh auth token,glab auth token,fly auth token,flyctl auth token,doctl auth token,heroku auth:token,wg genkey,wg genpsk',
  'pwgen,rails secret,bin/rails secret,rake secret,mix phx.gen.secret,php artisan key:generate --show',
  'bw get,lpass show,keepassxc-cli show,chamber read,infisical secrets get,sops -d --extract,terraform output ',
  'tofu output ,pulumi config get,aws configure get,consul keygen,vault print token,mkpasswd,apg ,gpg --gen-random',
  'head -c,firebase login:ci,firebase functions:secrets:access,rbw get,gopass ,secrethub read,sops --decrypt --extract,npm token create,cat ',
  'python -c,python3 -c,node -e,node -p,ruby -e,ruby -r,php -r,bun -e,deno eval',
  'keyring get,argocd admin initial-password,heroku config:get ,echo $,echo "$,echo "${,printenv ',
].flatMap((line) => line.split(','))
const PROMPT = /(?:^|[\n$#%>❯›»|;&]|(?<!\$)\(|\\n)[ \t]{0,4}(?:sudo )?$/
/** The rest of the command, unless it writes to a file, and one word alone on the next line. */
const WARNINGS = String.raw`(?:[ \t›»]*[Ww]arning: [^\n]{1,200}\n){0,3}`
const OUTPUT = new RegExp(String.raw`^([^\r\n>]{0,300}\r?\n${WARNINGS}"?)([^\s"]{8,4000})(?="?[ \t]*(?:\r?\n|$))`)
const AHEAD = 4400

/** What ends a command, and quoted text, in which nothing does. */
const SEPARATOR = /"[^"]*"|'[^']*'|(\n|&&|;)/g

/** Returns the last of several commands, if nothing but an empty line is printed after it. */
function lastCommand(command: string): string {
  const tail = trimEnd(trimEnd(command.slice(-2000)).replace(/(?:;|&&)\s*echo$/, ''))
  let from = 0
  for (const each of tail.matchAll(SEPARATOR)) if (each[1] !== undefined) from = each.index + each[0].length
  return tail.slice(from).trim()
}

/** Without the spaces and semicolons at its end: a pattern tries every run of them. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[\s;]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** True for the input of a tool whose command prints a secret and nothing else. */
export function showsPrinter(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const command = commandIn(input as JsonObject) ?? ''
  const last = lastCommand(command)
  const printer = PRINTERS.find((each) => last.startsWith(each))
  return printer !== undefined && !last.includes('>') && hasPurpose(printer, last.slice(printer.length))
}

/** What is around it: warnings, colours, quotes. */
const PRINTED = new RegExp(String.raw`^(${WARNINGS}(?:\s|\x1b\[[\d;]*m|")*)([^\s"\x1b]+)((?:\s|\x1b\[[\d;]*m|")*)$`)

/** Replaces the value that such a command printed; undefined if it printed something else. */
export function replacePrinted(output: string, replace: (value: string) => string): string | undefined {
  const [, before, value = '', after] = PRINTED.exec(output) ?? []
  return isPrinted(value) ? `${before}${replace(value)}${after}` : undefined
}

/** True for a value that such a command prints: one word, not a path or an address. */
const isPrinted = (value: string): boolean =>
  value.length >= 8 &&
  !/\s/.test(value) &&
  (mixesDigits(value) || looksRandom(value)) &&
  !isPlaceholder(value) &&
  !isReference(value) &&
  !/\[redacted:|^[[{<-]|:$/.test(value)

/** A file that holds a secret and nothing else. */
const SECRET_FILE =
  /^(?!\S*(?:htpasswd|etc\/passwd))(?:\S+[/\\])?(?:run\/secrets\/\S+|secrets\/[\w.-]+|[\w.-]*(?:secret|token|passw(?:or)?d|passphrase|api[-_]?key|cookie|\.vault-token|_pass|\bpass)(?:[-_]?key|\.txt|\.key|[-_]base)?|[\w.-]*(?:master|secret|private|encryption|signing)[-_.]?key(?:\.txt)?)\s*$/i

function hasPurpose(printer: string, rest: string): boolean {
  if (printer.startsWith('echo')) return kindOf(/^\{?(\w+)\}?"?\s*$/.exec(rest)?.[1])
  if (printer === 'cat ') return SECRET_FILE.test(rest)
  if (/^(?:terraform|tofu|pulumi|aws configure)/.test(printer))
    return kindOf(/([\w:.-]+)\s*$/.exec(rest)?.[1]?.replace(/^.*:/, ''))
  if (/ (?:-[cepr]|eval)$/.test(printer))
    return /token_(?:hex|urlsafe)|urandom|random_?bytes|SecureRandom|generate_key|random_secret_key|secrets\.choice/i.test(
      rest,
    )
  if (printer === 'head -c') return /\/dev\/u?random/.test(rest)
  if (/^(?:printenv|heroku config)/.test(printer)) return kindOf(/^(\w+)(?:\s+-|\s*$)/.exec(rest)?.[1])
  if (/^(?:kubectl|oc get) $/.test(printer))
    return /^\S+ (?:get )?(?:-\S+[ =]\S+ )*(?:get (?:-\S+[ =]\S+ )*)?secrets?\b.*(?:base64|\.data\b|\{\.\.(?!name|metadata|kind|type|items))/.test(
      printer + rest,
    )
  return !/--help|-h\b/.test(rest)
}

function kindOf(name: string | undefined): boolean {
  const kind = name === undefined ? null : nameKind(name)
  return kind !== null && kind !== 'dsn'
}

/** Matches the output of a command whose purpose is to print a secret, in a terminal's text. */
export const printedRule: Rule = {
  name: 'printed-secret',
  anchors: PRINTERS,
  isKeyFormat: false,
  match(place) {
    const { text, at, after, final } = place
    if (!PROMPT.test(place.behind(at, 24))) return after
    const ahead = text.slice(after, after + AHEAD)
    if (!final && ahead.length < AHEAD && !/\n[^\n]*\n/.test(ahead)) return 'more'
    const [, rest = '', secret = ''] = OUTPUT.exec(ahead) ?? []
    if (
      secret === '' ||
      !isPrinted(secret) ||
      !hasPurpose(text.slice(at, after), (rest.split(/\r?\n/, 1)[0] ?? '').replace(/"$/, '').trimEnd())
    )
      return after
    const start = after + rest.length
    return unlessKey(place, start, start + secret.length)
  },
}
