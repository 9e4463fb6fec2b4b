import { charClass, quotes, spaces } from './char-class.ts'
import { followRuns, unlessKey, type Rule } from './rule.ts'

const sign = charClass('=:')
const marks = charClass('\\"\'`')
const rest = charClass('A-Za-z0-9_')
const value = charClass('!#%&*+./0-9:=?@A-Z^_a-z~-')

/**
 * Matches any value after a word such as `password` and a sign, in lower case too: `password: hunter2`, `token = "abc"`.
 * Also marks harmless text, so it is off by default.
 */
export const keywordRule: Rule = {
  name: 'keyword-value',
  anchors: 'password passwd passphrase secret token api_key apikey api-key access_key private_key Secret Token'.split(
    ' ',
  ),
  isKeyFormat: false,
  match(place) {
    const ends = followRuns(place, place.after, [
      [rest, 0, 40],
      [marks, 0, 2],
      [spaces, 0, 3],
      [sign, 1, 1],
      [spaces, 0, 3],
      [marks, 0, 2],
      [value, 4, 512],
    ])
    if (typeof ends !== 'object') return ends
    const start = ends.at(-2) ?? 0
    const end = ends.at(-1) ?? 0
    const { text } = place
    const next = text[end] ?? ''
    // A call, an index or a template: code that fetches the value.
    if (next !== '' && '([{$<'.includes(next) && !quotes.has(next.charCodeAt(0))) return end
    return unlessKey(place, start, end)
  },
}
