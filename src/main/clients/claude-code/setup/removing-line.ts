import type { SettingChange } from './setup-record.ts'

/** Secrets of ours, which no terminal shows. */
const SECRET = /(aspy-)(?:path|tunnel)-[\w-]{43}/g
const ANY_SECRET = '[A-Za-z0-9_-]*'

/**
 * Returns a line of shell that removes the variables of setup from the settings file that has them, without Aspy. Whatever else
 * is in the file keeps its bytes, and a variable that somebody changed since stays. null if there are none.
 */
export function removingLine(changes: readonly SettingChange[], platform: NodeJS.Platform): string | null {
  const ours = changes.filter(({ path, after }) => path[0] === 'env' && path.length === 2 && typeof after === 'string')
  const file = ours[0]?.file
  if (file === undefined) return null
  const entries = ours.filter((change) => change.file === file).map(({ path, after }) => ({ name: path[1], after }))
  return platform === 'win32' ? forPowerShell(file, entries) : forSed(file, entries)
}

interface Entry {
  readonly name: string | undefined
  readonly after: unknown
}

function forSed(file: string, entries: readonly Entry[]): string {
  const scripts = entries.flatMap((entry) => {
    const slash = String.raw`\\\{0,1\}\/`
    const pair = pairOf(entry, '[[:space:]]*', slash, (text) => text.replaceAll(/[\\.*^$[\]]/g, String.raw`\$&`))
    // A whole line, with the carriage return at its end; the last of an object; any other place.
    const line = String.raw`s/\n[[:blank:]]*${pair},[^[:print:][:blank:]\n]\{0,1\}\n/\n/`
    return [line, ...[`,[[:space:]]*${pair}`, `${pair}[[:space:]]*,`, pair].map((each) => `s/${each}//`)]
  })
  const words = [':a', '$!N', '$!ba', ...scripts].map((script) => `-e ${quoted(script)}`)
  return `sed -i.before ${words.join(' ')} ${quoted(file)}`
}

function forPowerShell(file: string, entries: readonly Entry[]): string {
  const patterns = entries.flatMap((entry) => {
    const pair = pairOf(entry, String.raw`\s*`, String.raw`\\?/`, (text) =>
      text.replaceAll(/[\\.*+?^${}()|[\]]/g, String.raw`\$&`),
    )
    return [String.raw`\r?\n[ \t]*${pair},(?=\r?\n)`, String.raw`,\s*${pair}`, String.raw`${pair}\s*,`, pair]
  })
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  const replaced = patterns.map((pattern) => `-replace ${quote(pattern)},''`).join(' ')
  return `$f=${quote(file)}; [IO.File]::WriteAllText($f, ([IO.File]::ReadAllText($f) ${replaced}))`
}

/** Returns a pattern for a key and its value in JSON, also as other programs spell it: `\/` and `\u00e9`. */
function pairOf({ name, after }: Entry, space: string, slash: string, escape: (text: string) => string): string {
  const value = JSON.stringify(after)
  const spelled = (text: string) =>
    escape(text)
      .replaceAll('/', slash)
      .replaceAll(/[^ -~]+/g, '[^"]*')
  const parts = value.split(SECRET).map((part, at) => (at % 2 === 1 ? escape(part) + ANY_SECRET : spelled(part)))
  return `"${name}"${space}:${space}${parts.join('')}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
