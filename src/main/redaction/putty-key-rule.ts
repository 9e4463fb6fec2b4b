import { charClass, digits } from './char-class.ts'
import { inRows } from './private-key-rule.ts'
import { followRuns, type Rule } from './rule.ts'

const rows = charClass('A-Za-z0-9+/=\r\n\\ >|→')
const hex = charClass('0-9a-fA-F')

/** Matches the private half of a PuTTY key file, and its check value. */
export const puttyKeyRule: Rule = {
  name: 'private-key',
  anchors: ['Private-Lines: ', 'Private-MAC: ', 'Private-Hash: '],
  isKeyFormat: true,
  match(place) {
    const { text, at, after } = place
    if (!text.startsWith('Private-Lines', at)) {
      const ends = followRuns(place, after, [[hex, 32, 128]])
      return typeof ends === 'object' ? { start: after, end: ends[0] ?? after } : ends
    }
    const ends = followRuns(place, after, [
      [digits, 1, 4],
      [rows, 40, 16_384],
    ])
    if (typeof ends !== 'object') return ends
    const [lead = 0, to = 0] = ends
    // The break of the line stays.
    const from = lead + (/^(?:\r?\n|\\+r\\+n|\\+n)/.exec(text.slice(lead, to))?.[0].length ?? 0)
    // The run also takes the word before the next colon.
    const body = text.slice(from, to).replace(/(?:[\r\n]|\\+[nr])[ \d→]*[A-Za-z]*$/, '')
    return body.length < 40 ? to : inRows(text, from, from + body.length)
  },
}
