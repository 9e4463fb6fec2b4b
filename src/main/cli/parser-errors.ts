import { nearestName } from '../../shared/nearest-name.ts'

/** What the parser of the command line says, and how Aspy says it. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/^error: /, 'aspy: '],
  [/^(aspy: unknown (?:command|option)) '([^']*)'/, '$1 "$2"'],
  [/\n\(Did you mean (?:one of )?([^ ,]+).*\?\)$/s, '; did you mean "$1"?'],
  [/missing required argument '(.+)'/, '<$1> is missing'],
  [/required option '(.+)' not specified/, '$1 is missing'],
  [/option '([^']+)' argument missing/, '$1 needs a value'],
  [/option '([^' ]+)[^']*' argument '(.*)' is invalid\. (.*?)\.?$/s, '$1 cannot be "$2": $3'],
  [
    /^(aspy: )?command-argument value '(.*)' is invalid for argument '(.*)'\. (.*?)\.?$/s,
    'aspy: <$3> cannot be "$2": $4',
  ],
  [/Allowed choices are /, 'choose one of '],
  [/too many arguments(?: for '[^']*')?\. Expected (\d+) arguments? but got \d+: (.*)\.$/s, 'too many words: $2'],
]

/** Words that a command does not take, and what does what they say. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^aspy config: aspy: (too many words: (?:reset|remove|clear|delete|default)\b)/, 'aspy config unset KEY'],
  [/^aspy config: aspy: (too many words: (?:edit|open|change)\b)/, 'aspy config set KEY VALUE'],
  [/^aspy config: aspy: (too many words: (?:list|show|ls)\b)/, 'aspy config'],
  [/^aspy config: aspy: too many words: ([a-z]+(?:\.\S+)?)$/, 'aspy config get $1'],
  [/^aspy config: aspy: too many words: ([a-z]+\.\S+), (\S+)$/, 'aspy config set $1 $2'],
  [/^aspy guard: aspy: (too many words: set\b)/, 'aspy config set guard.day_usd 20'],
  [/^aspy \w+: aspy: (unknown option "(?:-n|--last|--count|--max)")/, '--limit'],
  [/^aspy: aspy: (unknown option "-v")/, '-V'],
]

/** Returns an error of the parser in the voice of all other errors: one line that says what to do. */
export function parserError(said: string, command: string, options: ReadonlySet<string | undefined>): string {
  const ours = SAID.reduce((text, [pattern, own]) => text.replace(pattern, own), said).replace(
    /(?<=cannot be "(.*)": )choose one of (.*)$/s,
    (_, typed: string, listed: string) => chooseOne(typed, listed.split(', ')),
  )
  const typed = `${command}: ${ours}`
  const has = (meant: string) => !meant.startsWith('--') || options.has(meant)
  const [pattern, elsewhere = ''] = ELSEWHERE.find(([each, meant]) => each.test(typed) && has(meant)) ?? []
  const meant = pattern && pattern.exec(typed)?.[0].replace(pattern, elsewhere)
  if (command === 'aspy redact' && ours.startsWith('aspy: too many words'))
    return `${ours}; rules are applied, not words; see ${command} --help`
  const words = meant === undefined ? ours : `${ours}; did you mean "${meant}"?`
  return /did you mean|choose one of|--help|cannot be|add --session/.test(words)
    ? words
    : `${words}; see ${command} --help`
}

/** Lists the choices of an option, and names the one that a refused value was most likely meant to be. */
export function chooseOne(typed: string, choices: readonly string[]): string {
  const meant = nearestName(typed, choices, Math.max(1, Math.floor(typed.length / 3)))
  return `choose one of ${choices.join(', ')}${meant === null ? '' : `; did you mean "${meant}"?`}`
}
